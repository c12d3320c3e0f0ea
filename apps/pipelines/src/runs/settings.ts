import { integer, list, oneOf, optional, text, type Configuration } from '@platform-backend/core';
import type { WorkflowSettings } from './domain/workflow-manifest.ts';

export const runSettings = {
  PIPELINES_CONCURRENT_RUNS: integer({
    default: 20,
    min: 1,
    max: 10_000,
    description: 'runs of an organisation that go on at the same time; the others wait',
  }),
  PIPELINES_RUN_RETENTION_DAYS: integer({
    default: 365,
    min: 1,
    max: 36_500,
    description: 'when a run that is over is removed; lines of its log are after 30 days',
  }),
  PIPELINES_KERNEL_STEPS: integer({
    default: 8,
    min: 1,
    max: 64,
    description: 'steps of runs in kernels that a replica waits for at once',
  }),
  PIPELINES_WORKFLOW_IMAGE: text({
    default: 'platform/pipelines:latest',
    description: 'the image of the pods of runs, as their `workflow_manifest` says',
  }),
  PIPELINES_WORKFLOW_SERVICE_ACCOUNT: text({
    default: 'pipeline-steps',
    description: 'the account of these pods',
  }),
  PIPELINES_WORKFLOW_COMMAND: text({
    default: 'node apps/pipelines/src/step-pod.ts',
    description: 'the program of these pods, with its arguments',
  }),
  PIPELINES_ENGINE: oneOf(['embedded', 'argo'], {
    default: 'embedded',
    description: 'what carries out the runs of all: `embedded`, workers of our own, or `argo`, Argo Workflows',
  }),
  PIPELINES_ARGO_ORGANISATIONS: list({
    default: [],
    example: 'org_1,org_2',
    description: 'ids of organisations whose runs Argo carries out, whatever is said of all',
  }),
  PIPELINES_ARGO_NAMESPACE: text({
    default: 'argo',
    pattern: /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
    mustBe: 'a name of Kubernetes',
    description: 'where workflows are made',
  }),
  PIPELINES_ARGO_KUBECONFIG: optional(
    text({
      example: '/etc/platform/kubeconfig',
      defaultDescription: 'the account of the service’s own pod',
      description: 'the file of an account of Kubernetes',
    }),
  ),
};

export const workflowSettings = (settings: Configuration<typeof runSettings>): WorkflowSettings => ({
  image: settings.PIPELINES_WORKFLOW_IMAGE,
  serviceAccountName: settings.PIPELINES_WORKFLOW_SERVICE_ACCOUNT,
  command: settings.PIPELINES_WORKFLOW_COMMAND.split(/\s+/).filter((part) => part !== ''),
});
