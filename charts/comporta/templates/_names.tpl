{{/* Names and labels of objects. */}}

{{- define "comporta.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "comporta.fullname" -}}
{{- default .Release.Name .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels of everything. */}}
{{- define "comporta.labels" -}}
app.kubernetes.io/name: {{ include "comporta.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* What selects the pods of the whole release. */}}
{{- define "comporta.selector" -}}
app.kubernetes.io/name: {{ include "comporta.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "comporta.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "comporta.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The image of a service. Takes (list root row). */}}
{{- define "comporta.image" -}}
{{- $root := index . 0 -}}{{- $row := index . 1 -}}
{{- $repository := $row.image.repository | default (printf "%s/%s" $root.Values.image.registry $row.binary) -}}
{{- printf "%s:%s" $repository (include "comporta.tag" ($row.image.tag | default $root.Values.image.tag | default $root.Chart.AppVersion)) -}}
{{- end -}}

{{/* A tag as text: --set and YAML take one of digits alone for a number. */}}
{{- define "comporta.tag" -}}
{{- if kindIs "string" . }}{{ . }}{{ else }}{{ int64 . }}{{ end -}}
{{- end -}}

{{/* The name of an object of NATS: the official chart's too. */}}
{{- define "comporta.natsName" -}}
{{- $nats := .Values.nats -}}
{{- default (printf "%s-nats" .Release.Name) (get $nats "fullnameOverride") | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* The Secret with the internal certificates of one party: auth, client or nats. Takes (list root party). */}}
{{- define "comporta.internalSecret" -}}
{{- $root := index . 0 -}}
{{- if eq (include "comporta.certificates" $root) "secrets" -}}
{{- printf "%s%s" $root.Values.mutualTLS.secrets.prefix (index . 1) -}}
{{- else -}}
{{- printf "%s-internal-%s" $root.Release.Name (index . 1) -}}
{{- end -}}
{{- end -}}

{{/* Who makes the internal certificates: certManager, generated or secrets. */}}
{{- define "comporta.certificates" -}}
{{- if ne .Values.mutualTLS.source "auto" -}}{{ .Values.mutualTLS.source }}
{{- else if .Capabilities.APIVersions.Has "cert-manager.io/v1" -}}certManager
{{- else -}}generated
{{- end -}}
{{- end -}}

{{/* "yes" where an optional kind of monitoring.coreos.com is wanted. Takes (list root mode). */}}
{{- define "comporta.monitors" -}}
{{- $root := index . 0 -}}{{- $mode := index . 1 -}}
{{- if or (eq $mode "on") (and (eq $mode "auto") ($root.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")) -}}yes{{- end -}}
{{- end -}}
