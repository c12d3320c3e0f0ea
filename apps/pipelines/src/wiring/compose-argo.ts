import { ConfigurationError } from '@platform-backend/core';
import type { ServiceContext } from '@platform-backend/service';
import type { ExecuteStepPorts } from '../app/execute-step.ts';
import type { DatasetFiles } from '../domain/datasets/dataset-files.ts';
import type { DatasetReferences, ObjectRemovals } from '../domain/datasets/datasets.ts';
import { needsKernel } from '../domain/pipelines/step.ts';
import { podJobs } from '../engines/argo/pod-jobs.ts';
import type { service } from '../service.ts';
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
  const { openKubernetes } = await import('../engines/argo/kubernetes-cluster.ts');
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
