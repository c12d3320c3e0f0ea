import { PatchStrategy, setHeaderOptions, type V1Pod } from '@kubernetes/client-node';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { MANAGED_BY, WORKFLOW_LABELS, type WorkflowManifest, type WorkflowStep } from '../domain/workflow-manifest.ts';
import { NAMESPACE, repository, codeOf, unlessThere, type KubernetesUnderTest } from './kubernetes-under-test.ts';

const LOOK_MS = 200;
const COMPLETED = 'workflows.argoproj.io/completed';
const workflowsOf = { group: 'argoproj.io', version: 'v1alpha1', namespace: NAMESPACE, plural: 'workflows' };
const merging = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

interface Node {
  id: string;
  name: string;
  displayName: string;
  type: 'DAG' | 'Retry' | 'Pod' | 'Skipped';
  templateName: string;
  phase: string;
  message?: string;
  children?: string[];
  outputs?: { exitCode: string };
}

export interface ControlledWorkflow extends Omit<WorkflowManifest, 'metadata' | 'spec'> {
  metadata: { name: string; uid: string; labels: Record<string, string> };
  spec: WorkflowManifest['spec'] & { shutdown?: string };
  status?: { phase?: string; message?: string; startedAt?: string; finishedAt?: string; nodes?: Record<string, Node> };
}

const OVER = new Set(['Succeeded', 'Failed', 'Error', 'Omitted']);
const isOver = (node: Node | undefined): boolean => node !== undefined && OVER.has(node.phase);

/** What the executor writes around the program, which pods find wherever the repository lies. */
const executor = 'echo "time=2026-11-22T04:49:27.022Z level=INFO msg=\\"waiting for signals\\" argo=true"; exec "$@"';

/**
 * Does with the platform's workflows what was seen of Argo's controller: makes pods, and shows the same phases, messages
 * and labels of graphs whose steps may be tried again. What is shut down gets its signal by the end of its pod.
 */
export function startArgoController({ core, objects }: Pick<KubernetesUnderTest, 'core' | 'objects'>) {
  const stopping = new AbortController();
  /** `hearsShutdown`: not, where a step finishes before that. */
  const state = { isPaused: false, hearsShutdown: true };

  /** Those that are done are left to the server: all of them in each look would cost more than the runs. */
  async function listUnfinished(): Promise<ControlledWorkflow[]> {
    const labelSelector = `${WORKFLOW_LABELS.managedBy}=${MANAGED_BY},${COMPLETED}!=true`;
    const { items } = (await objects.listNamespacedCustomObject({ ...workflowsOf, labelSelector })) as {
      items: ControlledWorkflow[];
    };
    return items;
  }

  async function find(name: string): Promise<ControlledWorkflow | undefined> {
    try {
      return (await objects.getNamespacedCustomObject({ ...workflowsOf, name })) as ControlledWorkflow;
    } catch (error) {
      ignoreMissing(error);
      return undefined;
    }
  }

  async function look(): Promise<void> {
    const going = await listUnfinished();
    if (going.length === 0) return;
    const { items: pods } = await core.listNamespacedPod({ namespace: NAMESPACE, labelSelector: `${COMPLETED}=false` });
    const byName = new Map(pods.map((pod) => [pod.metadata?.name ?? '', pod]));
    for (const workflow of going) await carryOn(workflow, byName);
  }

  async function carryOn(workflow: ControlledWorkflow, pods: ReadonlyMap<string, V1Pod>): Promise<void> {
    const { name } = workflow.metadata;
    const before = JSON.stringify(workflow.status ?? {});
    const nodes = structuredClone(workflow.status?.nodes ?? {});
    const isShutDown = workflow.spec.shutdown !== undefined && state.hearsShutdown;
    nodes[name] ??= { id: name, name, displayName: name, type: 'DAG', templateName: 'main', phase: 'Running' };
    const [graph, ...steps] = workflow.spec.templates;
    const tasks = graph && 'dag' in graph ? graph.dag.tasks : [];
    const taskNode = (task: string): Node | undefined => Object.values(nodes).find((node) => node.displayName === task);
    for (const { name: task, template, depends } of tasks) {
      const step = steps.find((one): one is WorkflowStep => one.name === template && 'container' in one);
      const needed = depends?.split(' && ').map((condition) => taskNode(condition.replace('.Succeeded', ''))) ?? [];
      if (!taskNode(task)) {
        if (needed.some((node) => isOver(node) && node?.phase !== 'Succeeded')) {
          addNode({
            displayName: task,
            type: 'Skipped',
            phase: 'Omitted',
            message: 'omitted: depends condition not met',
          });
        } else if (!isShutDown && needed.every((node) => node?.phase === 'Succeeded')) {
          addNode({ displayName: task, type: 'Retry', templateName: template, phase: 'Running', children: [] });
        }
      }
      const node = taskNode(task);
      if (step && node?.type === 'Retry' && !isOver(node)) await carryOnTask(node, step);
    }

    const shown = tasks.map(({ name: task }) => taskNode(task));
    const begun = shown.filter((node) => node !== undefined);
    const isDone = begun.every(isOver) && (isShutDown || begun.length === shown.length);
    const phase = !isDone ? 'Running' : shown.every((node) => node?.phase === 'Succeeded') ? 'Succeeded' : 'Failed';
    if (isDone) nodes[name].phase = phase;
    const status = {
      phase,
      ...(isDone &&
        isShutDown &&
        phase === 'Failed' && { message: `Stopped with strategy '${workflow.spec.shutdown}'` }),
      nodes,
    };
    if (JSON.stringify(status) === before) return;
    // The phase is there before the label says that all is.
    if (isDone) await show(name, { status: { phase } });
    await show(name, {
      metadata: { labels: { [COMPLETED]: String(isDone), 'workflows.argoproj.io/phase': phase } },
      status,
    });
    if (!isDone) return;
    for (const [podName, pod] of pods) {
      if (pod.metadata?.labels?.['workflows.argoproj.io/workflow'] !== name) continue;
      const body = { metadata: { labels: { [COMPLETED]: 'true' } } };
      await core.patchNamespacedPod({ name: podName, namespace: NAMESPACE, body }, merging).catch(ignoreMissing);
    }

    function addNode(wanted: Pick<Node, 'displayName' | 'type' | 'phase'> & Partial<Node>): Node {
      const full = `${name}.${wanted.displayName}`;
      const id = `${name}-${createHash('sha256').update(full).digest().readUInt32BE()}`;
      return (nodes[id] = { id, name: full, templateName: '', ...wanted });
    }

    async function carryOnTask(task: Node, step: WorkflowStep): Promise<void> {
      const children = (task.children ??= []);
      const last = nodes[children.at(-1) ?? ''];
      if (last === undefined || isTriedAgain(last, children.length, step)) {
        if (isShutDown) {
          end(task, last);
          return;
        }
        const displayName = `${task.displayName}(${children.length})`;
        const child = addNode({ displayName, type: 'Pod', templateName: step.name, phase: 'Pending' });
        children.push(child.id);
        await createPod(child, step);
        return;
      }
      if (!isOver(last)) await carryOnPod(last, step);
      if (isOver(last) && !isTriedAgain(last, children.length, step)) end(task, last);
    }

    function end(task: Node, last: Node | undefined): void {
      Object.assign(task, { phase: last?.phase ?? 'Failed' }, last?.message && { message: last.message });
      if (last?.outputs) task.outputs = last.outputs;
    }

    async function carryOnPod(node: Node, step: WorkflowStep): Promise<void> {
      const podName = podNameOf(node);
      const pod = pods.get(podName);
      if (!pod) {
        // Seen running it was told to end, else it is made again.
        if (isShutDown) Object.assign(node, { phase: 'Failed', message: 'main: Error (exit code 143)' });
        else if (node.phase === 'Running')
          Object.assign(node, { phase: 'Failed', message: 'Error (exit code 143)', outputs: { exitCode: '143' } });
        else await createPod(node, step);
        return;
      }
      const { phase, message } = pod.status ?? {};
      const exitCode = pod.status?.containerStatuses?.find((one) => one.name === 'main')?.state?.terminated?.exitCode;
      if (phase === 'Succeeded') Object.assign(node, { phase, outputs: { exitCode: '0' } });
      else if (phase === 'Failed')
        Object.assign(node, {
          phase,
          message: isShutDown || !message ? `main: Error (exit code ${exitCode})` : message,
          outputs: { exitCode: String(exitCode) },
        });
      else {
        if (phase === 'Running') node.phase = 'Running';
        if (isShutDown && pod.metadata?.deletionTimestamp === undefined)
          await core.deleteNamespacedPod({ name: podName, namespace: NAMESPACE }).catch(ignoreMissing);
      }
    }

    function podNameOf({ id, templateName }: Node): string {
      return `${name}-${templateName}-${id.slice(name.length + 1)}`;
    }

    async function createPod(node: Node, { container, activeDeadlineSeconds }: WorkflowStep): Promise<void> {
      const { command, args, env = [], securityContext, ...rest } = container;
      const owner = {
        apiVersion: workflow.apiVersion,
        kind: workflow.kind,
        name,
        uid: workflow.metadata.uid,
        controller: true,
      };
      const body: V1Pod = {
        metadata: {
          name: podNameOf(node),
          labels: {
            ...workflow.spec.podMetadata.labels,
            [COMPLETED]: 'false',
            'workflows.argoproj.io/workflow': name,
          },
          annotations: { 'workflows.argoproj.io/node-id': node.id },
          ownerReferences: [owner],
        },
        spec: {
          restartPolicy: 'Never',
          activeDeadlineSeconds,
          serviceAccountName: workflow.spec.serviceAccountName,
          automountServiceAccountToken: workflow.spec.automountServiceAccountToken,
          containers: [
            {
              name: 'main',
              ...rest,
              securityContext: {
                ...securityContext,
                capabilities: { drop: [...securityContext.capabilities.drop] },
              },
              resources: {},
              env: [...env],
              command: ['sh', '-c', executor, 'executor', ...command, ...args],
              volumeMounts: [{ name: 'repository', mountPath: repository }],
            },
          ],
          volumes: [{ name: 'repository', hostPath: { path: repository } }],
        },
      };
      await core.createNamespacedPod({ namespace: NAMESPACE, body }).catch(unlessThere);
    }
  }

  async function show(name: string, body: object): Promise<void> {
    await objects.patchNamespacedCustomObject({ ...workflowsOf, name, body }, merging).catch(ignoreMissing);
  }

  const controlling = (async () => {
    while (!stopping.signal.aborted) {
      // What failed is done at the next look.
      if (!state.isPaused) await look().catch(() => undefined);
      await delay(LOOK_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();

  return {
    find,
    pause: () => void (state.isPaused = true),
    goOn: (how: { readonly hearsShutdown?: boolean } = {}) => {
      Object.assign(state, { isPaused: false, hearsShutdown: how.hearsShutdown ?? true });
    },
    async stop() {
      stopping.abort();
      await controlling;
    },
  };
}

/** `Always`, as far as the expression lets it; no exit code is -1. */
function isTriedAgain(last: Node, tries: number, { retryStrategy: { limit, expression } }: WorkflowStep): boolean {
  if (!(last.phase === 'Failed' || last.phase === 'Error') || tries > Number(limit)) return false;
  return holds(expression, { status: last.phase, exitCode: last.outputs?.exitCode ?? '-1' });
}

/** Of expressions as far as they are `a == 'b' || (asInt(c) != 1 && …)`; others end the test. */
function holds(expression: string, { status, exitCode }: { status: string; exitCode: string }): boolean {
  const [, wanted, codes] = /^lastRetry\.status == '(\w+)' \|\| \((.*)\)$/.exec(expression) ?? [];
  if (wanted === undefined || codes === undefined) throw new Error(`no such expression is known here: ${expression}`);
  const others = codes.split(' && ').map((one) => {
    const code = /^asInt\(lastRetry\.exitCode\) != (\d+)$/.exec(one)?.[1];
    if (code === undefined) throw new Error(`no such condition is known here: ${one}`);
    return code;
  });
  return status === wanted || !others.includes(exitCode);
}

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 404) throw error;
}
