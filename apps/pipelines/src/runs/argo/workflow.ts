import { RETRIED_EXIT_CODE } from '../../step-engine/domain/pod-job.ts';

/** What is read of a `Workflow` as Argo keeps it. */
export interface Workflow {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly creationTimestamp?: string;
  };
  readonly spec: { readonly shutdown?: string; readonly activeDeadlineSeconds?: number };
  readonly status?: {
    readonly phase?: string;
    readonly message?: string;
    readonly nodes?: Readonly<Record<string, WorkflowNode>>;
  };
}

export interface WorkflowNode {
  readonly id: string;
  readonly displayName: string;
  readonly type: string;
  readonly phase?: string;
  readonly message?: string;
  readonly templateName?: string;
  readonly finishedAt?: string | null;
  readonly children?: readonly string[];
}

/** The tries of a task in their order, and whether another one may follow. */
export interface Tries {
  readonly pods: readonly WorkflowNode[];
  readonly areAll: boolean;
}

export const COMPLETED_LABEL = 'workflows.argoproj.io/completed';

/** Its phase is written before the rest of its status: only the label says that all is there. */
export const isCompleted = ({ metadata }: Workflow): boolean => metadata.labels?.[COMPLETED_LABEL] === 'true';

const OVER: ReadonlySet<string | undefined> = new Set(['Succeeded', 'Failed', 'Error']);

export const isNodeOver = ({ phase }: WorkflowNode): boolean => OVER.has(phase);

export const hasBegun = (node: WorkflowNode): boolean => node.phase === 'Running' || isNodeOver(node);

/** Whether something of it still runs, or is about to. */
export const hasPods = ({ status }: Workflow): boolean =>
  Object.values(status?.nodes ?? {}).some((node) => node.type === 'Pod' && !isNodeOver(node));

/** A task that may be repeated is a node of its own over its pods; what Argo has not begun has none. */
export function triesOf({ status }: Workflow, task: string): Tries {
  const nodes = status?.nodes ?? {};
  const node = Object.values(nodes).find(({ displayName }) => displayName === task);
  if (node?.type === 'Pod') return { pods: [node], areAll: true };
  if (node?.type !== 'Retry') return { pods: [], areAll: node !== undefined };
  const pods = (node.children ?? []).flatMap((id) => nodes[id] ?? []).filter(({ type }) => type === 'Pod');
  return { pods: pods.toSorted((one, other) => tryOf(one) - tryOf(other)), areAll: isNodeOver(node) };
}

/** `s0-clean(2)` is the third one. */
const tryOf = ({ displayName }: WorkflowNode): number => Number(/\((\d+)\)$/.exec(displayName)?.[1] ?? 0);

/** The name of a pod is that of its workflow and its template with the end of its node's id. */
export const podName = (workflow: string, { id, templateName = '' }: WorkflowNode): string =>
  id === workflow ? workflow : `${workflow}-${templateName}-${id.slice(workflow.length + 1)}`;

/** Whether the step of a pod has failed and says that it is tried again. */
export const isRetried = (node: Pick<WorkflowNode, 'message'>): boolean =>
  exitCodeOf(node) === String(RETRIED_EXIT_CODE);

const exitCodeOf = ({ message = '' }: Pick<WorkflowNode, 'message'>): string | undefined =>
  /\(exit code (-?\d+)\)$/.exec(message)?.[1];

/** Why a pod ended that has reported nothing, for people: Argo says `main: Error (exit code 143)`. */
export function lossOf({ phase, message }: Pick<WorkflowNode, 'phase' | 'message'>): string {
  if (phase === 'Succeeded') return 'Its pod has ended without a report';
  if (message === undefined || message === '') return 'Its pod was lost';
  if (message.includes('OOMKilled')) return 'Its pod took more memory than it may have';
  const code = exitCodeOf({ message });
  if (code === '143') return 'Its pod was ended from outside';
  if (code === '137') return 'Its pod was killed, as happens to one that takes too much memory';
  return message.replace(/^main: /, '');
}
