{{- define "toolscout.name" -}}
{{- default .Release.Name .Values.nameOverride | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "toolscout.selector" -}}
app.kubernetes.io/name: toolscout
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "toolscout.labels" -}}
{{ include "toolscout.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "toolscout.image" -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end }}

{{- /* The table that makes a process a replica of the fleet. */ -}}
{{- define "toolscout.fleet" -}}
[fleet]
database = "env:TOOLSCOUT_DATABASE_URL"
{{- if .Values.fleet.listenDatabase }}
listen_database = "env:TOOLSCOUT_LISTEN_DATABASE_URL"
{{- end }}
key = "env:TOOLSCOUT_FLEET_KEY"
project = {{ .Values.fleet.project | quote }}
listen = "0.0.0.0:7421"
{{- end }}

{{- /* The folders of a container whose root cannot be written. */ -}}
{{- define "toolscout.env" -}}
- name: HOME
  value: /var/lib/toolscout
- name: TOOLSCOUT_CONFIG_DIR
  value: /etc/toolscout
- name: TOOLSCOUT_STATE_DIR
  value: /var/lib/toolscout/state
- name: TOOLSCOUT_FLEET_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .Values.fleet.secret }}
      key: fleet-key
{{- end }}

{{- /* The URLs of the database: the context, and the key of the first one in the Secret. */ -}}
{{- define "toolscout.databases" -}}
{{- $fleet := (index . 0).Values.fleet -}}
- name: TOOLSCOUT_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ $fleet.secret }}
      key: {{ index . 1 }}
{{- if $fleet.listenDatabase }}
- name: TOOLSCOUT_LISTEN_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ $fleet.secret }}
      key: listen-database-url
{{- end }}
{{- end }}

{{- define "toolscout.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "toolscout.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}
