{{/* Begins the name of every object: short enough for what is added to it. */}}
{{- define "gw.fullname" -}}
{{- .Values.fullnameOverride | default .Release.Name | trunc 45 | trimSuffix "-" }}
{{- end }}

{{/* What tells the gateways of one release from all else. It never changes. */}}
{{- define "gw.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "gw.labels" -}}
{{ include "gw.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "gw.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "gw.fullname" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end }}
{{- end }}

{{/* "yes" where more than one gateway may serve, nothing elsewhere. */}}
{{- define "gw.several" -}}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) -}}
yes
{{- end }}
{{- end }}

{{/* What no schema can say: values that do not go together. */}}
{{- define "gw.refusals" -}}
{{- if and .Values.database.embedded (include "gw.several" .) }}
{{- fail "database.embedded keeps the books in the volume of one gateway: set replicas to 1 and autoscaling.enabled to false, or give the secret a DATABASE_URL and set database.embedded to false" }}
{{- end }}
{{- if and .Values.database.embedded (not .Values.storage.persistent) }}
{{- fail "database.embedded without storage.persistent would lose the books with the pod: set storage.persistent to true" }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}
{{- fail "ingress.enabled needs ingress.host, the name under which clients reach the gateway" }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.settings.GW_TRUSTED_PROXIES) }}
{{- fail "ingress.enabled needs settings.GW_TRUSTED_PROXIES, the addresses of the ingress or how many proxies every request goes through: without it all clients share the limits of the ingress" }}
{{- end }}
{{- if and .Values.autoscaling.enabled (gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) }}
{{- fail "autoscaling.minReplicas is more than autoscaling.maxReplicas" }}
{{- end }}
{{- end }}
