{{/* One setting that the pod has to find in the secret before it starts. */}}
{{- define "gw.fromSecret" -}}
valueFrom:
  secretKeyRef:
    name: {{ .Values.secret.existingSecret }}
{{- end }}

{{- define "gw.environment" -}}
- name: NODE_ENV
  value: production
- name: PORT
  value: '8080'
- name: GW_DATA_DIR
  value: /data
# The journal of the ledger is found again under it.
- name: GW_NODE_ID
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: GW_DRAIN_TIMEOUT_MS
  value: {{ mul .Values.drainSeconds 1000 | quote }}
- name: GW_SECRET
  {{- include "gw.fromSecret" . | nindent 2 }}
      key: GW_SECRET
- name: DATABASE_URL
  {{- if .Values.database.embedded }}
  value: ''
  {{- else }}
  {{- include "gw.fromSecret" . | nindent 2 }}
      key: DATABASE_URL
  {{- end }}
{{- if include "gw.several" . }}
- name: REDIS_URL
  {{- include "gw.fromSecret" . | nindent 2 }}
      key: REDIS_URL
{{- end }}
{{- if .Values.monitoring.serviceMonitor }}
- name: GW_OPERATOR_TOKEN
  {{- include "gw.fromSecret" . | nindent 2 }}
      key: GW_OPERATOR_TOKEN
{{- end }}
{{- if .Values.providers }}
- name: GW_PROVIDERS_FILE
  value: /etc/gw/providers.yaml
{{- end }}
{{- end }}

{{- define "gw.container" -}}
name: gateway
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
ports:
  - name: http
    containerPort: 8080
# What stands in `env` goes before both.
envFrom:
  - secretRef:
      name: {{ .Values.secret.existingSecret }}
  - configMapRef:
      name: {{ include "gw.fullname" . }}
env:
  {{- include "gw.environment" . | nindent 2 }}
# A first start makes the tables, and one of several waits for the one that does.
startupProbe:
  httpGet:
    path: /livez
    port: http
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 300
# Never while it is only late or its database is away: a restart helps neither. A gateway that has
# hung ends itself after GW_HANG_TIMEOUT_MS; this finds one that cannot, such as one that is stopped.
livenessProbe:
  httpGet:
    path: /livez
    port: http
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet:
    path: /readyz
    port: http
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
lifecycle:
  preStop:
    exec:
      command: [sleep, {{ .Values.deregisterSeconds | int | quote }}]
resources:
  {{- toYaml .Values.resources | nindent 2 }}
volumeMounts:
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
  {{- if .Values.providers }}
  - name: providers
    mountPath: /etc/gw
    readOnly: true
  {{- end }}
{{- end }}

{{- define "gw.spread" -}}
{{- range $key := .Values.topologyKeys }}
- topologyKey: {{ $key }}
  maxSkew: 1
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "gw.selector" $ | nindent 6 }}
{{- end }}
{{- end }}

{{- define "gw.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- if not .Values.storage.persistent }}
- name: data
  emptyDir:
    sizeLimit: {{ .Values.storage.size }}
{{- end }}
{{- if .Values.providers }}
- name: providers
  configMap:
    name: {{ include "gw.fullname" . }}-providers
{{- end }}
{{- end }}

{{/* The pod, the same in a Deployment and in a StatefulSet. */}}
{{- define "gw.pod" -}}
metadata:
  labels:
    {{- include "gw.labels" . | nindent 4 }}
  annotations:
    # Settings are read at the start alone: other settings, other pods.
    checksum/settings: {{ include "gw.settings" . | sha256sum }}
    checksum/providers: {{ .Values.providers | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "gw.serviceAccount" . }}
  automountServiceAccountToken: false
  # Or the cluster would set variables that look like settings.
  enableServiceLinks: false
  # Longer than a stop takes: the wait above, GW_DRAIN_TIMEOUT_MS, and what is written after it.
  terminationGracePeriodSeconds: {{ add .Values.deregisterSeconds .Values.drainSeconds 15 }}
  securityContext:
    runAsNonRoot: true
    # The user `node` of the image.
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    # Once, for a fresh volume: PostgreSQL refuses a folder that a group may write.
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    -
      {{- include "gw.container" . | nindent 6 }}
  volumes:
    {{- include "gw.volumes" . | nindent 4 }}
  {{- with .Values.topologyKeys }}
  topologySpreadConstraints:
    {{- include "gw.spread" $ | nindent 4 }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
