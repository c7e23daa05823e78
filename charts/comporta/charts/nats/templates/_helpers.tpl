{{- define "nats.fullname" -}}
{{- default (printf "%s-nats" .Release.Name) .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "nats.selector" -}}
app.kubernetes.io/name: nats
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "nats.labels" -}}
{{ include "nats.selector" . }}
app.kubernetes.io/component: nats
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "nats.size" -}}
{{- ternary (int .Values.config.cluster.replicas) 1 .Values.config.cluster.enabled -}}
{{- end -}}

{{- define "nats.image" -}}
{{- $i := .Values.container.image -}}
{{- with $i.registry }}{{ . }}/{{ end }}{{ $i.repository }}:
{{- $tag := $i.tag | default (printf "%s-alpine" .Chart.AppVersion) -}}
{{- /* --set and YAML take a tag of digits alone for a number. */ -}}
{{- if kindIs "string" $tag }}{{ $tag }}{{ else }}{{ int64 $tag }}{{ end -}}
{{- end -}}

{{- define "nats.tlsSecret" -}}
{{- .Values.config.nats.tls.secretName | default (printf "%s-internal-nats" .Release.Name) -}}
{{- end -}}

{{/* nats.conf is JSON, which NATS reads as its own format. */}}
{{- define "nats.conf" -}}
{{- $c := .Values.config -}}
{{- $conf := dict "server_name" "$SERVER_NAME" "port" (int $c.nats.port) "lame_duck_grace_period" "10s" "lame_duck_duration" "30s" "max_payload" 8388608 -}}
{{- $tls := dict "cert_file" "/etc/nats-certs/tls.crt" "key_file" "/etc/nats-certs/tls.key" "ca_file" "/etc/nats-certs/ca.crt" "verify" true "timeout" 5 -}}
{{- if $c.nats.tls.enabled -}}{{- $_ := set $conf "tls" $tls -}}{{- end -}}
{{- if $c.monitor.enabled -}}{{- $_ := set $conf "http_port" (int $c.monitor.port) -}}{{- end -}}
{{- if $c.jetstream.enabled -}}
{{- $_ := set $conf "jetstream" (dict "store_dir" $c.jetstream.fileStore.dir "max_memory_store" ($c.jetstream.memoryStore.maxSize | replace "Mi" "M" | replace "Gi" "G" | replace "Ti" "T") "max_file_store" ($c.jetstream.fileStore.pvc.size | replace "Mi" "M" | replace "Gi" "G" | replace "Ti" "T") "sync_interval" $c.jetstream.fileStore.syncInterval) -}}
{{- end -}}
{{- if $c.cluster.enabled -}}
{{- $routes := list -}}
{{- $full := include "nats.fullname" . -}}
{{- range $i := until (int $c.cluster.replicas) -}}
{{- $routes = append $routes (printf "nats://%s-%d.%s-headless:%d" $full $i $full (int $c.cluster.port)) -}}
{{- end -}}
{{- /* Clients know every server by its name; addresses that servers tell stand in no certificate. */ -}}
{{- $cluster := dict "name" $full "port" (int $c.cluster.port) "routes" $routes "no_advertise" true -}}
{{- if $c.nats.tls.enabled -}}{{- $_ := set $cluster "tls" $tls -}}{{- end -}}
{{- $_ := set $conf "cluster" $cluster -}}
{{- end -}}
{{- mustMergeOverwrite $conf (deepCopy $c.merge) | toPrettyJson | replace "\"$SERVER_NAME\"" "$SERVER_NAME" -}}
{{- end -}}
