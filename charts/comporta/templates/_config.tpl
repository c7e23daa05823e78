{{/* The configuration file of a service: what the chart knows, with the row's own config laid over it. */}}

{{/* Takes (list root rows row); gives YAML. */}}
{{- define "comporta.config" -}}
{{- $row := index . 2 -}}
{{- $made := include (printf "comporta.config.%s" $row.kind) . | fromYaml -}}
{{- toYaml (mustMergeOverwrite $made (deepCopy $row.config)) -}}
{{- end -}}

{{/* What every service but the sandbox has. Takes (list root row). */}}
{{- define "comporta.config.common" -}}
{{- $root := index . 0 -}}{{- $row := index . 1 -}}
data-dir: /var/lib/comporta
nats:
  url: {{ include "comporta.natsURL" $root | quote }}
  replicas: {{ include "comporta.natsCopies" $root }}
  audit-retention: {{ $root.Values.auditRetention }}
  {{- if and (not $root.Values.nats.enabled) $root.Values.externalNats.credentialsSecret }}
  credentials-file: /etc/comporta/nats/nats.creds
  {{- end }}
  {{- with include "comporta.natsTLS" $root }}
  tls: {ca: {{ . }}/ca.crt, cert: {{ . }}/tls.crt, key: {{ . }}/tls.key}
  {{- end }}
telemetry:
  log-level: {{ $root.Values.telemetry.logLevel }}
  admin-listen: ":{{ $row.ports.admin }}"
  trace-every: {{ int $root.Values.telemetry.traceEvery }}
  {{- with $root.Values.telemetry.otlpEndpoint }}
  otlp-endpoint: {{ . }}
  {{- end }}
{{- end -}}

{{/* What those have that ask auth and the platform. Takes (list root rows). */}}
{{- define "comporta.config.asker" -}}
{{- $root := index . 0 -}}
auth:
  addresses: [{{ printf "%s:8443" (include "comporta.authGRPC" .) | quote }}]
  tls: {ca: /etc/comporta/internal/ca.crt, cert: /etc/comporta/internal/tls.crt, key: /etc/comporta/internal/tls.key}
platform:
  url: {{ include "comporta.platformURL" . }}
  {{- with $root.Values.platform.timeout }}
  timeout: {{ . }}
  {{- end }}
  {{- with $root.Values.platform.idempotencyHeader }}
  idempotency-header: {{ . }}
  {{- end }}
{{- end -}}

{{- define "comporta.config.area" -}}
{{- $root := index . 0 -}}{{- $rows := index . 1 -}}{{- $row := index . 2 -}}
{{- $auth := include "comporta.rowOf" (list $rows "auth") | fromYaml -}}
listen: ":{{ $row.ports.http }}"
public-url: {{ $row.publicURL }}
auth-url: {{ $auth.publicURL }}
{{- if ne $root.Values.tls.mode "pods" }}
auth-http: http://{{ $auth.fullname }}:{{ $auth.service.port }}
{{- else }}
tls: {cert: /etc/comporta/tls/tls.crt, key: /etc/comporta/tls/tls.key}
{{- end }}
drain-timeout: {{ int $row.drainSeconds }}s
{{- with $root.Values.trustedProxies }}
trusted-proxies: {{ toJson . }}
{{- end }}
{{- if $root.Values.policy.configMap }}
policy-file: /etc/comporta/policy/policy.yaml
{{- end }}
{{- if or $row.documents.configMap $row.documents.image }}
documents: /etc/comporta/documents/{{ $row.name }}
{{- end }}
{{- if $row.corpora.configMap }}
search: {corpora: /etc/comporta/corpora/corpora.yaml}
{{- end }}
{{ include "comporta.config.asker" (list $root $rows) }}
{{ include "comporta.config.common" (list $root $row) }}
{{- end -}}

{{- define "comporta.config.worker" -}}
{{- $root := index . 0 -}}{{- $rows := index . 1 -}}{{- $row := index . 2 -}}
{{ include "comporta.config.everyArea" $rows }}
work: {drain-for: {{ int $row.drainSeconds }}s}
{{ include "comporta.config.asker" (list $root $rows) }}
{{ include "comporta.config.common" (list $root $row) }}
{{- end -}}

{{- define "comporta.config.auth" -}}
{{- $root := index . 0 -}}{{- $rows := index . 1 -}}{{- $row := index . 2 -}}
{{- $areas := list -}}{{- $resources := dict -}}
{{- range $name, $area := $rows -}}
{{- if eq $area.kind "area" -}}{{- $areas = append $areas $name -}}{{- $_ := set $resources $name $area.publicURL -}}{{- end -}}
{{- end -}}
grpc-listen: ":{{ $row.ports.grpc }}"
http-listen: ":{{ $row.ports.http }}"
tls: {ca: /etc/comporta/internal/ca.crt, cert: /etc/comporta/internal/tls.crt, key: /etc/comporta/internal/tls.key}
{{- if eq $root.Values.tls.mode "pods" }}
http-tls: {cert: /etc/comporta/tls/tls.crt, key: /etc/comporta/tls/tls.key}
{{- end }}
{{- /* OAuth's rules allow an issuer in clear on loopback only. */}}
{{- if or (hasPrefix "https:" $row.publicURL) (hasPrefix "http://127.0.0.1" $row.publicURL) }}
public-url: {{ $row.publicURL }}
oauth: {resources: {{ toJson $resources }}}
{{- end }}
areas: {{ toJson $areas }}
platform: {url: {{ include "comporta.platformURL" (list $root $rows) }}}
master-key: file:/etc/comporta/keys/master-key
drain-timeout: {{ int $row.drainSeconds }}s
{{- with $root.Values.trustedProxies }}
trusted-proxies: {{ toJson . }}
{{- end }}
{{- if $root.Values.policy.configMap }}
policy-file: /etc/comporta/policy/policy.yaml
{{- end }}
{{ include "comporta.config.everyArea" $rows }}
{{ include "comporta.config.common" (list $root $row) }}
{{- end -}}

{{- define "comporta.config.sandbox" -}}
{{- $row := index . 2 -}}
listen: ":{{ $row.ports.http }}"
data-dir: /var/lib/comporta
{{- end -}}

{{/* Documents and mounted APIs of all areas: auth judges them and the worker carries them out. Takes rows. */}}
{{- define "comporta.config.everyArea" -}}
{{- $apis := list -}}{{- $documents := dict -}}
{{- range $name, $area := . -}}
{{- if eq $area.kind "area" -}}
{{- $apis = concat $apis (get $area.config "apis" | default list) -}}
{{- if or $area.documents.configMap $area.documents.image -}}{{- $_ := set $documents $name (printf "/etc/comporta/documents/%s" $name) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- with $apis }}
apis: {{ toJson . }}
{{- end }}
{{- with $documents }}
documents: {{ toJson . }}
{{- end }}
{{- end -}}

{{/* The headless name of auth's gRPC port: every replica stands behind it. */}}
{{- define "comporta.authGRPC" -}}
{{- $auth := include "comporta.rowOf" (list (index . 1) "auth") | fromYaml -}}
{{- printf "%s-grpc" $auth.fullname -}}
{{- end -}}

{{- define "comporta.platformURL" -}}
{{- $sandbox := include "comporta.rowOf" (list (index . 1) "sandbox") | fromYaml -}}
{{- if $sandbox -}}
{{- printf "http://%s:%d/v4" $sandbox.fullname (int $sandbox.service.port) -}}
{{- else -}}
{{- (index . 0).Values.platform.url -}}
{{- end -}}
{{- end -}}

{{- define "comporta.natsURL" -}}
{{- if not .Values.nats.enabled -}}
{{- .Values.externalNats.url -}}
{{- else -}}
{{- $name := include "comporta.natsName" . -}}
{{- $servers := list -}}
{{- range $i := until (int (include "comporta.natsServers" .)) -}}
{{- $servers = append $servers (printf "nats://%s-%d.%s-headless:4222" $name $i $name) -}}
{{- end -}}
{{- join "," $servers -}}
{{- end -}}
{{- end -}}

{{- define "comporta.natsServers" -}}
{{- $cluster := .Values.nats.config.cluster -}}
{{- ternary (int $cluster.replicas) 1 $cluster.enabled -}}
{{- end -}}

{{- define "comporta.natsCopies" -}}
{{- if .Values.natsReplicas -}}{{ int .Values.natsReplicas }}
{{- else if and .Values.nats.enabled (lt (int (include "comporta.natsServers" .)) 3) -}}1
{{- else -}}3
{{- end -}}
{{- end -}}

{{/* The folder with the certificates for NATS; empty where there are none. */}}
{{- define "comporta.natsTLS" -}}
{{- if .Values.nats.enabled -}}
{{- if .Values.nats.config.nats.tls.enabled -}}/etc/comporta/internal{{- end -}}
{{- else if eq .Values.externalNats.tls.source "internal" -}}/etc/comporta/internal
{{- else if eq .Values.externalNats.tls.source "secret" -}}/etc/comporta/nats-tls
{{- end -}}
{{- end -}}
