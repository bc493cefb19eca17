{{- define "cupid-workers.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "cupid-workers.metadata" -}}
name: {{ .Release.Name }}
labels:
  {{- include "cupid-workers.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
