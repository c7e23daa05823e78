{{/* The pod of a service. Takes (list root rows row). */}}
{{- define "comporta.pod" -}}
{{- $root := index . 0 -}}{{- $rows := index . 1 -}}{{- $row := index . 2 -}}
serviceAccountName: {{ include "comporta.serviceAccount" $root }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- include "comporta.podSecurity" $root | nindent 2 }}
# Time for endpoints to forget the pod, for its drain, and for what closes after it.
terminationGracePeriodSeconds: {{ add 20 (int $row.drainSeconds) }}
{{- with $row.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $row.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $row.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $row.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  {{- with $row.topologySpreadConstraints }}
  {{- toYaml . | nindent 2 }}
  {{- else }}
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    matchLabelKeys: [pod-template-hash]
    labelSelector:
      matchLabels:
        {{- include "comporta.selector" $root | nindent 8 }}
        app.kubernetes.io/component: {{ $row.name }}
  {{- end }}
  {{- end }}
containers:
  - name: {{ $row.name }}
    image: {{ include "comporta.image" (list $root $row) }}
    imagePullPolicy: {{ $root.Values.image.pullPolicy }}
    args: [--config=/etc/comporta/comporta.yaml]
    {{- if or $row.env $row.goMemoryLimit $root.Values.trustedCA.configMap }}
    env:
      {{- with $row.goMemoryLimit }}
      - {name: GOMEMLIMIT, value: {{ . | quote }}}
      {{- end }}
      {{- if $root.Values.trustedCA.configMap }}
      - {name: SSL_CERT_DIR, value: /etc/comporta/trusted}
      {{- end }}
      {{- with $row.env }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    {{- end }}
    ports:
      - {name: http, containerPort: {{ int $row.ports.http }}}
      {{- if ne $row.kind "sandbox" }}
      - {name: admin, containerPort: {{ int $row.ports.admin }}}
      {{- end }}
      {{- with get $row.ports "grpc" }}
      - {name: grpc, containerPort: {{ int . }}}
      {{- end }}
    {{- include "comporta.probes" $row | nindent 4 }}
    lifecycle:
      # Endpoints forget the pod meanwhile. The images have no shell to sleep in.
      preStop: {sleep: {seconds: 5}}
    resources:
      {{- toYaml $row.resources | nindent 6 }}
    securityContext:
      {{- include "comporta.containerSecurity" $root | nindent 6 }}
    volumeMounts:
      {{- include "comporta.mounts" . | nindent 6 }}
volumes:
  {{- include "comporta.volumes" . | nindent 2 }}
{{- end -}}

{{- define "comporta.podSecurity" -}}
runAsNonRoot: true
{{- with int64 .Values.global.podUser }}
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
{{- end }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "comporta.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{/* The sandbox has no admin port. The worker listens on that one only. Takes a row. */}}
{{- define "comporta.probes" -}}
{{- $live := "httpGet: {path: /healthz, port: admin}" -}}
{{- $ready := "httpGet: {path: /readyz, port: admin}" -}}
{{- if eq .kind "sandbox" -}}{{- $live = "tcpSocket: {port: http}" -}}{{- $ready = $live -}}{{- end -}}
startupProbe:
  {{ $ready }}
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: {{ div (add 1 (int .probes.startupSeconds)) 2 }}
livenessProbe:
  {{ $live }}
  periodSeconds: 10
  timeoutSeconds: 3
  failureThreshold: 6
readinessProbe:
  {{ $ready }}
  periodSeconds: {{ int .probes.periodSeconds }}
  timeoutSeconds: 3
  failureThreshold: {{ int .probes.failureThreshold }}
{{- end -}}
