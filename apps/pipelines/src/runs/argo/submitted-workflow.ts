import { POD_JOB_VARIABLE } from '../../step-engine/domain/pod-job.ts';
import type { RunOfOrganisation } from '../domain/run-engine.ts';
import { taskName, WORKFLOW_LABELS, type WorkflowManifest, type WorkflowStep } from '../domain/workflow-manifest.ts';

/** The manifest as it goes to Kubernetes: with the organisation, and with the address of each step's job. */
export function submittedWorkflow(
  { organisationId, run }: RunOfOrganisation,
  manifest: WorkflowManifest,
  jobs: ReadonlyMap<number, string>,
): WorkflowManifest {
  const addresses = new Map([...jobs].map(([stepIndex, url]) => [taskName(run, stepIndex), url]));
  const withJob = (step: WorkflowStep): WorkflowStep => {
    const env = [{ name: POD_JOB_VARIABLE, value: addresses.get(step.name) ?? '' }];
    return { ...step, container: { ...step.container, env } };
  };
  const ofOrganisation = (labels: Readonly<Record<string, string>>) => ({
    ...labels,
    [WORKFLOW_LABELS.organisation]: organisationId,
  });
  const { metadata, spec } = manifest;
  const workflow = {
    ...manifest,
    metadata: { ...metadata, labels: ofOrganisation(metadata.labels) },
    spec: {
      ...spec,
      podMetadata: { labels: ofOrganisation(spec.podMetadata.labels) },
      templates: spec.templates.map((template) => ('container' in template ? withJob(template) : template)),
    },
  };
  requirePlain(workflow);
  return workflow;
}

/** Kubernetes replaces `$(…)` and `$$`, Argo `{{…}}`: what stands there has to arrive as it is. */
function requirePlain(value: unknown): void {
  if (typeof value === 'string' && /\$[($]|\{\{/.test(value))
    throw new Error('a workflow has text in which Kubernetes or Argo would replace something');
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(requirePlain);
}
