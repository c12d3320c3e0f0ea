{{/* What the chart knows of the apps: files/facts.json, which `npm run generate:chart` writes from what they declare. */}}
{{- define "platform.facts" -}}
{{- .Files.Get "files/facts.json" -}}
{{- end -}}

{{/* The values of an app: those of all, and over them its own. Give: root, name. */}}
{{- define "platform.app" -}}
{{- mergeOverwrite (deepCopy .root.Values.all) (deepCopy (get .root.Values.apps .name | default dict)) | toJson -}}
{{- end -}}

{{- define "platform.labels" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/part-of: platform
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* By these pods are found, whichever release they belong to. */}}
{{- define "platform.selector" -}}
{ app.kubernetes.io/name: {{ .name }}, app.kubernetes.io/part-of: platform }
{{- end -}}

{{/* Give: root, name, app. */}}
{{- define "platform.image" -}}
{{- $image := .app.image -}}
{{- $repository := $image.repository | default (printf "%splatform-%s" (ternary "" (printf "%s/" .root.Values.image.registry) (empty .root.Values.image.registry)) .name) -}}
{{- if $image.digest -}}
{{ $repository }}@{{ $image.digest }}
{{- else -}}
{{ $repository }}:{{ include "platform.tag" . }}
{{- end -}}
{{- end -}}

{{/* Give: root, name, app. */}}
{{- define "platform.tag" -}}
{{- $facts := include "platform.facts" .root | fromJson -}}
{{- .app.image.tag | default .root.Values.image.tag | default (get $facts.apps .name).version -}}
{{- end -}}

{{/* What the chart itself knows of an app's variables: where it listens and whom it finds where. Give: root, name, facts, app. */}}
{{- define "platform.ownSettings" -}}
{{- $own := dict -}}
{{- $known := dict -}}
{{- range .facts.variables }}{{ $_ := set $known .name true }}{{ end -}}
{{- if eq .name "gateway" -}}
{{- $_ := set $own "PLATFORM_PORT" (toString .facts.port) -}}
{{- $_ := set $own "GATEWAY_HOST" "0.0.0.0" -}}
{{- $_ := set $own "GATEWAY_METRICS_PORT" "9464" -}}
{{- $_ := set $own "GATEWAY_DRAIN_DELAY_MS" (toString (mul 1000 (.app.preStopSeconds | int))) -}}
{{- else -}}
{{- $_ := set $own (printf "%s_LISTEN" (upper .name)) (printf "0.0.0.0:%d" (int .facts.port)) -}}
{{- $_ := set $own "METRICS_LISTEN" "0.0.0.0:9464" -}}
{{- end -}}
{{- $all := .apps -}}
{{- range .facts.calls }}{{ $_ := set $own (printf "%s_ADDRESS" (upper .)) (printf "dns:///%s:%d" . (int (get $all .).port)) }}{{ end -}}
{{- if .facts.callsReplicas }}{{ $_ := set $own (printf "%s_NODE_ADDRESS" (upper .name)) (printf "$(POD_IP):%d" (int .facts.port)) }}{{ end -}}
{{- if .facts.makesSandboxes -}}
{{- $_ := set $own (ternary (printf "%s_WORK_DIRECTORY" (upper .name)) "TMPDIR" (hasKey $known (printf "%s_WORK_DIRECTORY" (upper .name)))) "/var/lib/platform/work" -}}
{{- end -}}
{{- if and (hasKey $known "OBJECTS_DIRECTORY") .root.Values.objects.existingClaim }}{{ $_ := set $own "OBJECTS_DIRECTORY" "/var/lib/platform/objects" }}{{ end -}}
{{- if hasKey $known "CONTENT_SEARCH_DIRECTORY" }}{{ $_ := set $own "CONTENT_SEARCH_DIRECTORY" "/var/lib/platform/work/search" }}{{ end -}}
{{- if hasKey $known "MODELS_DIR" }}{{ $_ := set $own "MODELS_DIR" "/var/lib/platform/models" }}{{ end -}}
{{- if .app.tls.secret -}}
{{- $_ := set $own "GRPC_TLS_CERTIFICATE" "/etc/platform/tls/tls.crt" -}}
{{- $_ := set $own "GRPC_TLS_KEY" "/etc/platform/tls/tls.key" -}}
{{- $_ := set $own "GRPC_TLS_AUTHORITY" "/etc/platform/tls/ca.crt" -}}
{{- end -}}
{{- if and (eq .name "pipelines") .root.Values.argo.enabled -}}
{{- $_ := set $own "PIPELINES_ENGINE" "argo" -}}
{{- $_ := set $own "PIPELINES_ARGO_NAMESPACE" .root.Values.argo.namespace -}}
{{- $_ := set $own "PIPELINES_ARGO_KUBECONFIG" "/etc/platform/argo/kubeconfig" -}}
{{- $_ := set $own "PIPELINES_WORKFLOW_SERVICE_ACCOUNT" "pipeline-steps" -}}
{{- $_ := set $own "PIPELINES_WORKFLOW_IMAGE" (.root.Values.argo.image | default (include "platform.image" .)) -}}
{{- end -}}
{{- range $name, $value := .root.Values.settings }}{{ if hasKey $known $name }}{{ $_ := set $own $name $value }}{{ end }}{{ end -}}
{{- range $name, $value := (.app.settings | default dict) }}{{ $_ := set $own $name $value }}{{ end -}}
{{- toJson $own -}}
{{- end -}}

{{/* The environment of a container: what is set (empty is not set), and from the Secret what may be secret. Give: settings, variables, secret, what. */}}
{{- define "platform.environment" -}}
{{- $settings := .settings -}}
{{- if contains "$(POD_IP)" (toJson $settings) -}}
- name: POD_IP
  valueFrom: { fieldRef: { fieldPath: status.podIP } }
{{- end }}
{{- range $name, $value := $settings }}
{{- if $value }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- $secret := .secret -}}
{{- $what := .what -}}
{{- range .variables }}
{{- if not (get $settings .name) }}
{{- if ne .secret "never" }}
- name: {{ .name }}
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ .name }}, optional: {{ not .required }} } }
{{- else if .required }}
{{- fail (printf "%s needs the setting %s: say it in apps.%s.settings or in settings" $what .name $what) }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Of a container that makes no sandboxes. */}}
{{- define "platform.restricted" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Of a pod: the user `node` of the image. */}}
{{- define "platform.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
{{- end -}}
