import type { PipelineVersion } from '../../pipelines/domain/pipeline.ts';
import { allPausesSeconds, maximumAttempts, type RetryPolicy } from '../../steps/domain/retry-policy.ts';
import type { StepConfig } from '../../steps/domain/step.ts';
import { MAX_LOSSES } from './change-run.ts';
import { FINISHED_DAYS } from './limits.ts';
import type { Run } from './run.ts';

/** What Argo has to be told besides the run itself. */
export interface WorkflowSettings {
  readonly image: string;
  readonly serviceAccountName: string;
  /** Of the program that does a step, in the image. Always given: else Argo asks the registry of the image for it. */
  readonly command: readonly string[];
}

/** The part of Argo's `Workflow` that runs are made of: what is of another type than its schema says is no value of it. */
export interface WorkflowManifest {
  readonly apiVersion: 'argoproj.io/v1alpha1';
  readonly kind: 'Workflow';
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly entrypoint: string;
    readonly serviceAccountName: string;
    /** The token of the account is in the containers of Argo's executor alone. */
    readonly automountServiceAccountToken: false;
    readonly executor: { readonly serviceAccountName: string };
    readonly securityContext: PodSecurity;
    readonly podMetadata: { readonly labels: Readonly<Record<string, string>> };
    readonly activeDeadlineSeconds: number;
    readonly ttlStrategy: { readonly secondsAfterCompletion: number };
    readonly podGC: { readonly strategy: 'OnWorkflowCompletion'; readonly deleteDelayDuration: string };
    readonly templates: readonly (WorkflowGraph | WorkflowStep)[];
  };
}

export interface WorkflowGraph {
  readonly name: string;
  readonly dag: {
    readonly failFast: boolean;
    readonly tasks: readonly { readonly name: string; readonly template: string; readonly depends?: string }[];
  };
}

export interface WorkflowStep {
  readonly name: string;
  readonly activeDeadlineSeconds: number;
  readonly retryStrategy: {
    readonly limit: string;
    readonly retryPolicy: 'Always';
    readonly expression: string;
    readonly backoff: { readonly duration: string; readonly factor: string; readonly cap?: string };
  };
  readonly container: {
    readonly image: string;
    readonly command: readonly string[];
    readonly args: readonly string[];
    readonly securityContext: {
      readonly allowPrivilegeEscalation: false;
      readonly capabilities: { readonly drop: readonly ['ALL'] };
    };
    readonly env?: readonly { readonly name: string; readonly value: string }[];
    readonly resources: {
      readonly requests: { readonly cpu: string; readonly memory: string };
      readonly limits: { readonly memory: string };
    };
  };
}

interface PodSecurity {
  readonly runAsNonRoot: true;
  readonly runAsUser: number;
  readonly runAsGroup: number;
  readonly fsGroup: number;
  readonly seccompProfile: { readonly type: 'RuntimeDefault' };
}

/** `node` of the image, as a number: Kubernetes cannot tell from a name that it is not root. */
const USER = 1000;

/** What `pod-security.kubernetes.io/enforce=restricted` asks of a pod. */
const POD_SECURITY: PodSecurity = {
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  fsGroup: USER,
  seccompProfile: { type: 'RuntimeDefault' },
};

/**
 * Exit codes after which another try would end in the same way: the step has failed, its program was lost twice, or it took
 * more memory than its pod may have. Everything else is the pod's fate: of one that is deleted or evicted the code is 143.
 */
const FINAL_EXIT_CODES = [1, 2, 137];

/** Argo calls a pod Failed that was deleted: `OnError` would not try it again. */
const RETRY_EXPRESSION = `lastRetry.status == 'Error' || (${FINAL_EXIT_CODES.map(
  (code) => `asInt(lastRetry.exitCode) != ${code}`,
).join(' && ')})`;

/** As a label of Kubernetes may be. */
const MAX_OF_LABEL = 63;

/** By these the platform knows its workflows, and what they are of. */
export const WORKFLOW_LABELS = {
  managedBy: 'app.kubernetes.io/managed-by',
  organisation: 'platform/organisation-id',
  run: 'platform/run-id',
  pipeline: 'platform/pipeline-id',
} as const;

export const MANAGED_BY = 'platform-pipelines';

/**
 * The run as a Workflow of Argo, whichever engine carries it out. Nothing that people wrote is in it but what is left of
 * names in letters and digits: Argo and Kubernetes would replace parts of it. A pod fetches what its step is to do.
 */
export function workflowManifest(
  run: Run,
  version: PipelineVersion,
  { image, serviceAccountName, command }: WorkflowSettings,
): WorkflowManifest {
  const templates = run.steps.flatMap((step, stepIndex): readonly WorkflowStep[] => {
    const config = version.steps[stepIndex]?.config;
    if (!config || step.kept) return [];
    return [
      {
        name: taskName(run, stepIndex),
        activeDeadlineSeconds: config.timeLimitSeconds + BRINGING_SECONDS,
        retryStrategy: retryStrategyOf(config.retryPolicy),
        container: {
          image,
          command,
          args: ['--run', run.id, '--step', String(stepIndex)],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          resources: {
            requests: { cpu: '500m', memory: `${config.memoryLimitMb}Mi` },
            limits: { memory: `${config.memoryLimitMb + PROGRAM_MB}Mi` },
          },
        },
      },
    ];
  });
  const tasks = run.steps.flatMap((step, stepIndex) => {
    if (step.kept) return [];
    const depends = step.after
      .filter((other) => run.steps[other]?.kept === false)
      .map((other) => `${taskName(run, other)}.Succeeded`)
      .join(' && ');
    const name = taskName(run, stepIndex);
    return [{ name, template: name, ...(depends !== '' && { depends }) }];
  });
  const labels = {
    [WORKFLOW_LABELS.managedBy]: MANAGED_BY,
    [WORKFLOW_LABELS.run]: run.id,
    [WORKFLOW_LABELS.pipeline]: run.pipelineId,
  };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: run.name, labels },
    spec: {
      entrypoint: 'main',
      serviceAccountName,
      automountServiceAccountToken: false,
      executor: { serviceAccountName },
      securityContext: POD_SECURITY,
      podMetadata: { labels },
      activeDeadlineSeconds: maxRunSeconds(run, version),
      ttlStrategy: { secondsAfterCompletion: FINISHED_DAYS * 86_400 },
      // Time to keep their logs, should nobody of us be there when they end.
      podGC: { strategy: 'OnWorkflowCompletion', deleteDelayDuration: `${PODS_KEPT_SECONDS}s` },
      templates: [{ name: 'main', dag: { failFast: true, tasks } }, ...templates],
    },
  };
}

/**
 * What a run may take until Argo ends it: by the limits of its steps, one after the other, and not much more than the
 * record lets it.
 */
export const maxRunSeconds = ({ timeLimitSeconds }: Run, { steps }: PipelineVersion): number =>
  Math.min(
    timeLimitSeconds + BRINGING_SECONDS,
    steps.reduce((sum, { config }) => sum + maxStepSeconds(config), STARTING_SECONDS),
  );

const maxStepSeconds = ({ timeLimitSeconds, retryPolicy }: StepConfig): number =>
  maximumAttempts(retryPolicy) * (timeLimitSeconds + BRINGING_SECONDS) + allPausesSeconds(retryPolicy);

/** What Argo reckons pauses in: nanoseconds that wrap around, before it looks at the longest one. */
const MAX_NANOSECONDS = 2 ** 63;
const NANOSECONDS = 1e9;

/**
 * The pauses of a policy, in numbers that Argo's arithmetic holds for so many of them. Multiplied by more than what leads to the longest one at
 * once they are the same. Where that is still too much the first ones are shorter.
 */
function backoffOf(
  { initialIntervalSeconds, backoffCoefficient, maximumIntervalSeconds }: RetryPolicy,
  retries: number,
): WorkflowStep['retryStrategy']['backoff'] {
  const duration = Math.min(initialIntervalSeconds, maximumIntervalSeconds);
  let factor = Math.min(backoffCoefficient, Math.ceil(maximumIntervalSeconds / duration));
  while (duration * NANOSECONDS * factor ** (retries - 1) >= MAX_NANOSECONDS) factor -= 1;
  return { duration: `${duration}s`, factor: String(factor), cap: `${maximumIntervalSeconds}s` };
}

/** Pods that were lost are repeated whatever the policy of the step; how often it may fail its pods know themselves. */
export const retryStrategyOf = (retryPolicy: RetryPolicy | null): WorkflowStep['retryStrategy'] => {
  const limit = MAX_LOSSES - 1 + maximumAttempts(retryPolicy) - 1;
  return {
    limit: String(limit),
    retryPolicy: 'Always',
    expression: RETRY_EXPRESSION,
    backoff: retryPolicy ? backoffOf(retryPolicy, limit) : { duration: '2s', factor: '3' },
  };
};

/** What the programs need besides what the query may use. */
const PROGRAM_MB = 512;

/** Until pods are there. */
const STARTING_SECONDS = 600;

/** For the inputs and the output of a step on their way. The program itself keeps to the time limit of the query. */
const BRINGING_SECONDS = 300;

const PODS_KEPT_SECONDS = 3600;

/** Of a step in the workflow: `s2-clean-orders`. */
export const taskName = ({ steps }: Run, stepIndex: number): string =>
  `s${stepIndex}-${plainWords(steps[stepIndex]?.name ?? '')}`.slice(0, 50).replace(/-+$/, '');

/** Of the workflow of a run: nobody else's, and the same whenever it is asked. */
export function workflowName(pipelineName: string, runId: string): string {
  const words = plainWords(pipelineName)
    .slice(0, MAX_OF_LABEL - runId.length - 1)
    .replace(/-+$/, '');
  return words === '' ? `run-${runId}` : `${words}-${runId}`;
}

const plainWords = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
