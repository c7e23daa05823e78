{{/*
The enabled services with everything that defaults, their kind and their row say:
a YAML map by name. Read it with: include "comporta.rows" . | fromYaml
*/}}
{{- define "comporta.rows" -}}
{{- $rows := dict -}}
{{- range $name, $own := .Values.services -}}
{{- $kind := index $.Values.kinds $own.kind | default dict -}}
{{- $row := mustMergeOverwrite (deepCopy $.Values.defaults) (deepCopy $kind) (deepCopy $own) -}}
{{- $_ := set $row "name" $name -}}
{{- $_ := set $row "fullname" (printf "%s-%s" (include "comporta.fullname" $) $name) -}}
{{- if eq $row.kind "area" -}}
{{- $_ := set $row "host" ($row.host | default (printf "%s-mcp.%s" $name $.Values.domain)) -}}
{{- else if eq $row.kind "auth" -}}
{{- $_ := set $row "host" ($row.host | default (printf "%s.%s" $name $.Values.domain)) -}}
{{- end -}}
{{- if $row.host -}}
{{- $scheme := ternary "http" "https" (eq $.Values.tls.mode "off") -}}
{{- $_ := set $row "publicURL" ($row.publicURL | default (printf "%s://%s" $scheme $row.host)) -}}
{{- end -}}
{{- $_ := set $row "tlsSecret" ($.Values.tls.secretName | default (printf "%s-tls" $row.fullname)) -}}
{{- if $row.enabled -}}{{- $_ := set $rows $name $row -}}{{- end -}}
{{- end -}}
{{- $kinds := dict -}}
{{- range $name, $row := $rows -}}
{{- if ne $row.kind "area" -}}
{{- if hasKey $kinds $row.kind -}}{{- fail (printf "services: %s and %s are both of kind %s; only areas may be several" $name (index $kinds $row.kind) $row.kind) -}}{{- end -}}
{{- $_ := set $kinds $row.kind $name -}}
{{- end -}}
{{- end -}}
{{- if not (hasKey $kinds "auth") -}}{{- fail "services: no service of kind auth is enabled; nothing works without it" -}}{{- end -}}
{{- if not (hasKey $kinds "worker") -}}{{- fail "services: no service of kind worker is enabled; long operations would never be carried out" -}}{{- end -}}
{{- toYaml $rows -}}
{{- end -}}

{{/* The one enabled row of a kind, as YAML; empty where there is none. Takes (list rows kind). */}}
{{- define "comporta.rowOf" -}}
{{- $kind := index . 1 -}}
{{- range $name, $row := index . 0 -}}
{{- if eq $row.kind $kind -}}{{ toYaml $row }}{{- break -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* What cannot work is refused with a sentence. */}}
{{- define "comporta.validate" -}}
{{- if and .Values.nats.enabled .Values.externalNats.url -}}{{- fail "nats.enabled and externalNats.url exclude each other" -}}{{- end -}}
{{- if not (or .Values.nats.enabled .Values.externalNats.url) -}}{{- fail "externalNats.url is needed where nats.enabled is false" -}}{{- end -}}
{{- if and .Values.nats.enabled (eq (include "comporta.certificates" .) "secrets") -}}
{{- $wanted := printf "%snats" .Values.mutualTLS.secrets.prefix -}}
{{- if ne .Values.nats.config.nats.tls.secretName $wanted -}}{{- fail (printf "with mutualTLS.source secrets, nats.config.nats.tls.secretName must be %s" $wanted) -}}{{- end -}}
{{- end -}}
{{- end -}}
