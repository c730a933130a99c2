{{- define "countinghouse.name" -}}
{{- $name := .Release.Name -}}
{{- if contains .Chart.Name $name -}}{{ $name | trunc 45 | trimSuffix "-" }}{{- else -}}{{ printf "%s-%s" $name .Chart.Name | trunc 45 | trimSuffix "-" }}{{- end -}}
{{- end }}

{{- define "countinghouse.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "countinghouse.labels" -}}
{{ include "countinghouse.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "countinghouse.image" -}}
{{- if .Values.image.digest -}}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{- end -}}
{{- end }}

{{/* Settings of every process; those of the secret come by envFrom. */}}
{{- define "countinghouse.environment" -}}
envFrom:
  - secretRef:
      name: {{ .Values.settingsSecret }}
env:
  - { name: ENVIRONMENT, value: production }
  - { name: BASE_URL, value: {{ .Values.baseUrl | quote }} }
  - { name: HOST, value: 0.0.0.0 }
  - { name: PORT, value: "8480" }
  - { name: METRICS_LISTEN, value: "0.0.0.0:9464" }
  - { name: DATA_DIR, value: /var/lib/countinghouse }
  - { name: KEYS_FILE, value: /run/countinghouse/keys/keys.json }
  {{- if .Values.tlsSecret }}
  - { name: TLS_CERT_FILE, value: /run/countinghouse/tls/tls.crt }
  - { name: TLS_KEY_FILE, value: /run/countinghouse/tls/tls.key }
  {{- end }}
  {{- if not (hasKey .Values.settings "TRUSTED_PROXIES") }}
  - { name: TRUSTED_PROXIES, value: private }
  {{- end }}
  {{- range $name, $value := .Values.settings }}
  {{- /* Helm reads numbers as floats and would print a million as 1e+06. */}}
  {{- if and (kindIs "float64" $value) (eq $value (floor $value)) }}{{ $value = int64 $value }}{{ end }}
  - { name: {{ $name }}, value: {{ $value | toString | quote }} }
  {{- end }}
{{- end }}

{{- define "countinghouse.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "countinghouse.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "countinghouse.mounts" -}}
- { name: data, mountPath: /var/lib/countinghouse }
- { name: temporary, mountPath: /tmp }
- { name: keys, mountPath: /run/countinghouse/keys, readOnly: true }
{{- if .Values.tlsSecret }}
- { name: tls, mountPath: /run/countinghouse/tls, readOnly: true }
{{- end }}
{{- if .Values.sourcesSecret }}
- { name: sources, mountPath: /var/lib/countinghouse/sources.json, subPath: sources.json, readOnly: true }
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Keys and sources.json come from secrets, so that nothing in the data directory outlives a pod. */}}
{{- define "countinghouse.volumes" -}}
- name: data
  emptyDir: {}
- name: temporary
  emptyDir: {}
- name: keys
  secret:
    secretName: {{ .Values.keysSecret }}
    defaultMode: 0440
{{- if .Values.tlsSecret }}
- name: tls
  secret:
    secretName: {{ .Values.tlsSecret }}
    defaultMode: 0440
{{- end }}
{{- if .Values.sourcesSecret }}
- name: sources
  secret:
    secretName: {{ .Values.sourcesSecret }}
    defaultMode: 0440
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Pod of a backup or a restore, without its containers. */}}
{{- define "countinghouse.backupPod" -}}
{{- if not .Values.backup.volume }}{{ fail "backup.volume is missing: where backups are" }}{{ end -}}
automountServiceAccountToken: false
enableServiceLinks: false
restartPolicy: Never
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- include "countinghouse.podSecurity" . | nindent 2 }}
volumes:
  {{- include "countinghouse.volumes" . | nindent 2 }}
  - name: backups
    {{- toYaml .Values.backup.volume | nindent 4 }}
  - name: passphrase
    secret:
      secretName: {{ required "backup.passphraseSecret is missing: the secret with `passphrase`" .Values.backup.passphraseSecret }}
      defaultMode: 0440
{{- end }}

{{/* A restore needs an empty data directory, so sources.json is not mounted there: it is in a secret already. */}}
{{- define "countinghouse.backupContainer" -}}
{{- $values := dict "extraVolumeMounts" .root.Values.extraVolumeMounts "tlsSecret" .root.Values.tlsSecret "sourcesSecret" (ternary .root.Values.sourcesSecret "" .withSources) }}
- name: {{ .name }}
  image: {{ include "countinghouse.image" .root }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  args:
    {{- toYaml .args | nindent 4 }}
  {{- include "countinghouse.environment" .root | nindent 2 }}
    - { name: BACKUP_PASSPHRASE_FILE, value: /run/countinghouse/backup/passphrase }
  securityContext:
    {{- include "countinghouse.containerSecurity" .root | nindent 4 }}
  resources:
    {{- toYaml .root.Values.backup.resources | nindent 4 }}
  volumeMounts:
    {{- include "countinghouse.mounts" (dict "Values" $values) | nindent 4 }}
    - { name: backups, mountPath: /backups }
    - { name: passphrase, mountPath: /run/countinghouse/backup, readOnly: true }
{{- end }}
