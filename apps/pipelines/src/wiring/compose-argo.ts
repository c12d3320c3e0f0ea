import { ConfigurationError } from '@platform-backend/core';
import type { ServiceContext } from '@platform-backend/service';
import type { DatasetFiles } from '../datasets/domain/dataset-files.ts';
import type { DatasetReferences, ObjectRemovals } from '../datasets/domain/datasets.ts';
import type { ExecuteStepPorts } from '../runs/app/execute-step.ts';
import { podJobs } from '../runs/argo/pod-jobs.ts';
import type { service } from '../service.ts';
import { needsKernel } from '../steps/domain/step.ts';
import type { ArgoParts } from './orchestration.ts';
import { workflowSettings } from './run-settings.ts';

/** What pods read and write. */
export interface PodObjects {
  readonly datasets: DatasetReferences;
  readonly files: DatasetFiles;
  readonly removals: ObjectRemovals;
}

/** Argo, where the settings name it; its client is loaded only then. */
export async function composeArgo(
  { settings, clock, logger }: ServiceContext<typeof service.declaration>,
  objects: PodObjects,
  findVersion: ExecuteStepPorts['findVersion'],
): Promise<ArgoParts | undefined> {
  const { PIPELINES_ENGINE: engine, PIPELINES_ARGO_ORGANISATIONS: organisations } = settings;
  const { PIPELINES_ARGO_NAMESPACE: namespace, PIPELINES_ARGO_KUBECONFIG: kubeconfig } = settings;
  if (engine === 'embedded' && organisations.length === 0) {
    logger.info({ engine }, 'the embedded engine carries runs out');
    return undefined;
  }
  const { openKubernetes } = await import('../runs/argo/kubernetes-cluster.ts');
  const cluster = openKubernetes({ namespace, kubeconfig });
  const workflow = workflowSettings(settings);
  if (workflow.command.length === 0) throw new ConfigurationError(['PIPELINES_WORKFLOW_COMMAND names no program.']);
  logger.info(
    { engine, organisations, namespace },
    'Argo Workflows carries runs out: all, or those of some organisations',
  );
  const [takesAll, some] = [engine === 'argo', new Set(organisations)];
  return {
    cluster,
    jobs: podJobs({ ...objects, clock }),
    workflow,
    findVersion,
    // Other steps are no work for pods: they go on in the kernels of notebooks.
    takes: (organisationId, { steps }) => (takesAll || some.has(organisationId)) && !steps.some(needsKernel),
  };
}
