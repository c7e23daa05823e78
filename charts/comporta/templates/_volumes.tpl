{{/* Volumes and where they are mounted, side by side. Both take (list root rows row). */}}

{{- define "comporta.mounts" -}}
{{- $root := index . 0 -}}{{- $rows := index . 1 -}}{{- $row := index . 2 -}}
- {name: config, mountPath: /etc/comporta/comporta.yaml, subPath: comporta.yaml, readOnly: true}
- {name: data, mountPath: /var/lib/comporta}
- {name: tmp, mountPath: /tmp}
{{- if ne $row.kind "sandbox" }}
- {name: internal, mountPath: /etc/comporta/internal, readOnly: true}
{{- if and (not $root.Values.nats.enabled) $root.Values.externalNats.credentialsSecret }}
- {name: nats, mountPath: /etc/comporta/nats, readOnly: true}
{{- end }}
{{- if and (not $root.Values.nats.enabled) (eq $root.Values.externalNats.tls.source "secret") }}
- {name: nats-tls, mountPath: /etc/comporta/nats-tls, readOnly: true}
{{- end }}
{{- end }}
{{- if eq $row.kind "auth" }}
- {name: keys, mountPath: /etc/comporta/keys, readOnly: true}
{{- end }}
{{- if and (has $row.kind (list "area" "auth")) (eq $root.Values.tls.mode "pods") }}
- {name: tls, mountPath: /etc/comporta/tls, readOnly: true}
{{- end }}
{{- if and (has $row.kind (list "area" "auth")) $root.Values.policy.configMap }}
- {name: policy, mountPath: /etc/comporta/policy, readOnly: true}
{{- end }}
{{- range $name := include "comporta.documentsOf" . | fromYamlArray }}
- {name: documents-{{ $name }}, mountPath: /etc/comporta/documents/{{ $name }}, readOnly: true}
{{- end }}
{{- if $row.corpora.configMap }}
- {name: corpora, mountPath: /etc/comporta/corpora, readOnly: true}
{{- end }}
{{- if or $row.files.configMap $row.files.image }}
- {name: files, mountPath: /etc/comporta/files, readOnly: true}
{{- end }}
{{- if $root.Values.trustedCA.configMap }}
- {name: trusted, mountPath: /etc/comporta/trusted, readOnly: true}
{{- end }}
{{- if $row.secretFiles }}
- {name: secrets, mountPath: /etc/comporta/secrets, readOnly: true}
{{- end }}
{{- with $row.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "comporta.volumes" -}}
{{- $root := index . 0 -}}{{- $rows := index . 1 -}}{{- $row := index . 2 -}}
- name: config
  configMap: {name: {{ $row.fullname }}}
- name: data
  emptyDir: {sizeLimit: {{ $row.dataSize }}}
- name: tmp
  emptyDir: {sizeLimit: 256Mi}
{{- if ne $row.kind "sandbox" }}
- name: internal
  secret: {secretName: {{ include "comporta.internalSecret" (list $root (ternary "auth" "client" (eq $row.kind "auth"))) }}, defaultMode: 0440}
{{- if and (not $root.Values.nats.enabled) $root.Values.externalNats.credentialsSecret }}
- name: nats
  secret: {secretName: {{ $root.Values.externalNats.credentialsSecret }}, defaultMode: 0440}
{{- end }}
{{- if and (not $root.Values.nats.enabled) (eq $root.Values.externalNats.tls.source "secret") }}
- name: nats-tls
  secret: {secretName: {{ $root.Values.externalNats.tls.secretName }}, defaultMode: 0440}
{{- end }}
{{- end }}
{{- if eq $row.kind "auth" }}
- name: keys
  secret:
    secretName: {{ include "comporta.masterKeySecret" $root }}
    defaultMode: 0440
    items: [{key: {{ $root.Values.masterKey.key }}, path: master-key}]
{{- end }}
{{- if and (has $row.kind (list "area" "auth")) (eq $root.Values.tls.mode "pods") }}
- name: tls
  secret: {secretName: {{ $row.tlsSecret }}, defaultMode: 0440}
{{- end }}
{{- if and (has $row.kind (list "area" "auth")) $root.Values.policy.configMap }}
- name: policy
  configMap:
    name: {{ $root.Values.policy.configMap }}
    items: [{key: {{ $root.Values.policy.key }}, path: policy.yaml}]
{{- end }}
{{- range $name := include "comporta.documentsOf" . | fromYamlArray }}
- name: documents-{{ $name }}
  {{- include "comporta.source" (index $rows $name).documents | nindent 2 }}
{{- end }}
{{- if $row.corpora.configMap }}
- name: corpora
  configMap:
    name: {{ $row.corpora.configMap }}
    items: [{key: {{ $row.corpora.key }}, path: corpora.yaml}]
{{- end }}
{{- if or $row.files.configMap $row.files.image }}
- name: files
  {{- include "comporta.source" $row.files | nindent 2 }}
{{- end }}
{{- if $root.Values.trustedCA.configMap }}
- name: trusted
  configMap:
    name: {{ $root.Values.trustedCA.configMap }}
    items: [{key: {{ $root.Values.trustedCA.key }}, path: ca.crt}]
{{- end }}
{{- if $row.secretFiles }}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range $row.secretFiles }}
      - secret:
          name: {{ .secret }}
          items: [{key: {{ .key }}, path: {{ .path }}}]
      {{- end }}
{{- end }}
{{- with $row.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* A folder from a ConfigMap or an image. Takes {configMap, image}. */}}
{{- define "comporta.source" -}}
{{- if .image -}}
image: {reference: {{ .image }}, pullPolicy: IfNotPresent}
{{- else -}}
configMap: {name: {{ .configMap }}}
{{- end -}}
{{- end -}}

{{/* The areas whose own documents a service reads: an area its own, auth and worker all. */}}
{{- define "comporta.documentsOf" -}}
{{- $rows := index . 1 -}}{{- $row := index . 2 -}}
{{- $names := list -}}
{{- range $name, $area := $rows -}}
{{- if and (eq $area.kind "area") (or $area.documents.configMap $area.documents.image) (or (eq $name $row.name) (has $row.kind (list "auth" "worker"))) -}}
{{- $names = append $names $name -}}
{{- end -}}
{{- end -}}
{{- toYaml $names -}}
{{- end -}}
