import { integer, list, oneOf, optional, text, type Configuration } from '@platform-backend/core';
import type { WorkflowSettings } from '../domain/runs/workflow-manifest.ts';

export const runSettings = {
  PIPELINES_CONCURRENT_RUNS: integer({ default: 20, min: 1, max: 10_000 }),
  PIPELINES_MICROS_PER_STEP_SECOND: integer({ default: 1000, min: 0, max: 1_000_000 }),
  PIPELINES_WORKFLOW_IMAGE: text({ default: 'platform/pipelines:latest' }),
  PIPELINES_WORKFLOW_SERVICE_ACCOUNT: text({ default: 'pipeline-steps' }),
  PIPELINES_WORKFLOW_COMMAND: text({ default: 'node apps/pipelines/src/step-pod.ts' }),
  /** Of the runs of all organisations. */
  PIPELINES_ENGINE: oneOf(['embedded', 'argo'], { default: 'embedded' }),
  /** Those whose runs Argo carries out, whatever is said of all. */
  PIPELINES_ARGO_ORGANISATIONS: list({ default: [], example: 'org_1,org_2' }),
  PIPELINES_ARGO_NAMESPACE: text({ default: 'argo', pattern: /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/ }),
  /** The file of an account; without one the account of the pod that this service runs in. */
  PIPELINES_ARGO_KUBECONFIG: optional(text({ example: '/etc/platform/kubeconfig' })),
};

export const workflowSettings = (settings: Configuration<typeof runSettings>): WorkflowSettings => ({
  image: settings.PIPELINES_WORKFLOW_IMAGE,
  serviceAccountName: settings.PIPELINES_WORKFLOW_SERVICE_ACCOUNT,
  command: settings.PIPELINES_WORKFLOW_COMMAND.split(/\s+/).filter((part) => part !== ''),
});
