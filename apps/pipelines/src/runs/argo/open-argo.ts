import { ConfigurationError, type Logger } from '@platform-backend/core';
import { addsToOutput, waitsElsewhere } from '../../steps/domain/step.ts';
import type { WorkflowSettings } from '../domain/workflow-manifest.ts';
import type { ArgoEngineOptions, TakesRun } from './argo-engine.ts';

interface ArgoChoice {
  readonly PIPELINES_ENGINE: 'embedded' | 'argo';
  readonly PIPELINES_ARGO_ORGANISATIONS: readonly string[];
  readonly PIPELINES_ARGO_NAMESPACE: string;
  readonly PIPELINES_ARGO_KUBECONFIG: string | undefined;
}

/** Argo where the settings name it, and which runs are its; its client is loaded only then. */
export async function openArgo(
  settings: ArgoChoice,
  workflow: WorkflowSettings,
  logger: Pick<Logger, 'info'>,
): Promise<(Pick<ArgoEngineOptions, 'cluster' | 'workflow'> & { readonly takes: TakesRun }) | undefined> {
  const { PIPELINES_ENGINE: engine, PIPELINES_ARGO_ORGANISATIONS: organisations } = settings;
  const { PIPELINES_ARGO_NAMESPACE: namespace, PIPELINES_ARGO_KUBECONFIG: kubeconfig } = settings;
  if (engine === 'embedded' && organisations.length === 0) {
    logger.info({ engine }, 'the embedded engine carries runs out');
    return undefined;
  }
  const { openKubernetes } = await import('./kubernetes-cluster.ts');
  const cluster = openKubernetes({ namespace, kubeconfig });
  if (workflow.command.length === 0) throw new ConfigurationError(['PIPELINES_WORKFLOW_COMMAND names no program.']);
  logger.info(
    { engine, organisations, namespace },
    'Argo Workflows carries runs out: all, or those of some organisations',
  );
  const [takesAll, some] = [engine === 'argo', new Set(organisations)];
  return {
    cluster,
    workflow,
    // Other steps are no work for pods: they go on in the kernels of notebooks or at whoever is called, or are done again when their dataset has changed meanwhile.
    takes: (organisationId, { steps }) =>
      (takesAll || some.has(organisationId)) && !steps.some((step) => waitsElsewhere(step) || addsToOutput(step)),
  };
}
