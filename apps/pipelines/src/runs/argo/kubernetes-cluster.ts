import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  PatchStrategy,
  setHeaderOptions,
  Watch,
  ApiException,
} from '@kubernetes/client-node';
import { ConfigurationError } from '@platform-backend/core';
import { existsSync } from 'node:fs';
import { MANAGED_BY, WORKFLOW_LABELS } from '../domain/workflow-manifest.ts';
import { WorkflowRefused, type ArgoCluster } from './argo-cluster.ts';
import { COMPLETED_LABEL, type Workflow } from './workflow.ts';

export interface KubernetesOptions {
  readonly namespace: string;
  /** The file of an account; undefined: that of the pod in which this process runs. */
  readonly kubeconfig: string | undefined;
}

const PAGE = 200;
const LOG_BYTES = 4 * 2 ** 20;
/** A watch ends by itself after so long. One that hears nothing for half a minute is given up by the client. */
const WATCH_SECONDS = 240;

export function openKubernetes({ namespace, kubeconfig }: KubernetesOptions): ArgoCluster {
  const config = accountOf(kubeconfig);
  const [objects, core] = [config.makeApiClient(CustomObjectsApi), config.makeApiClient(CoreV1Api)];
  const workflows = { group: 'argoproj.io', version: 'v1alpha1', namespace, plural: 'workflows' };
  const labelSelector = `${WORKFLOW_LABELS.managedBy}=${MANAGED_BY},${COMPLETED_LABEL}!=true`;

  return {
    async submit(body) {
      await asked(objects.createNamespacedCustomObject({ ...workflows, body })).catch(unless(409, undefined));
    },

    find: (name) =>
      asked(objects.getNamespacedCustomObject({ ...workflows, name }) as Promise<Workflow>).catch(
        unless(404, undefined),
      ),

    async listGoing() {
      const found: Workflow[] = [];
      for (let next: string | undefined; ;) {
        const page = (await asked(
          objects.listNamespacedCustomObject({
            ...workflows,
            labelSelector,
            limit: PAGE,
            ...(next !== undefined && { _continue: next }),
          }),
        )) as WorkflowList;
        found.push(...page.items);
        next = page.metadata.continue || undefined;
        if (next === undefined) return { workflows: found, version: page.metadata.resourceVersion };
      }
    },

    async watch(version, onChange, signal) {
      const path = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/workflows`;
      const ended = Promise.withResolvers<string | undefined>();
      let seen = version;
      let isTooOld = false;
      const heard = (kind: string, object: Workflow & WatchedObject): void => {
        if (kind === 'ERROR') {
          isTooOld = true;
          return;
        }
        seen = object.metadata.resourceVersion ?? seen;
        if (kind !== 'BOOKMARK') onChange(object, kind === 'DELETED');
      };
      const done = (error: unknown): void => {
        if (isTooOld || (error as { statusCode?: number } | null)?.statusCode === 410) ended.resolve(undefined);
        else if (error === null || error === undefined || isSilence(error) || signal.aborted) ended.resolve(seen);
        else ended.reject(explained(error));
      };
      const query = {
        labelSelector,
        resourceVersion: version,
        timeoutSeconds: WATCH_SECONDS,
        allowWatchBookmarks: true,
      };
      const watching = await new Watch(config).watch(path, query, heard, done);
      const stop = (): void => watching.abort();
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      return ended.promise.finally(() => signal.removeEventListener('abort', stop));
    },

    async terminate(name) {
      const body = { spec: { shutdown: 'Terminate' } };
      const merging = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
      await asked(objects.patchNamespacedCustomObject({ ...workflows, name, body }, merging)).catch(
        unless(404, undefined),
      );
    },

    async logOf(pod) {
      const wanted = { namespace, name: pod, container: 'main', timestamps: true, limitBytes: LOG_BYTES };
      try {
        return await asked(core.readNamespacedPodLog(wanted));
      } catch (error) {
        // It has not begun yet, or is gone.
        if (error instanceof WorkflowRefused || (error instanceof KubernetesError && error.code === 404))
          return undefined;
        throw error;
      }
    },
  };
}

interface WorkflowList {
  readonly items: readonly Workflow[];
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
}

interface WatchedObject {
  readonly metadata: { readonly resourceVersion?: string };
}

class KubernetesError extends Error {
  override readonly name = 'KubernetesError';
  readonly code: number;

  constructor(code: number, message: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

function accountOf(kubeconfig: string | undefined): KubeConfig {
  const config = new KubeConfig();
  if (kubeconfig !== undefined) {
    if (!existsSync(kubeconfig))
      throw new ConfigurationError([`PIPELINES_ARGO_KUBECONFIG names ${kubeconfig}, which is not there.`]);
    config.loadFromFile(kubeconfig);
    return config;
  }
  if (process.env['KUBERNETES_SERVICE_HOST'] === undefined)
    throw new ConfigurationError([
      'Argo cannot be reached: this is no pod of Kubernetes. Set PIPELINES_ARGO_KUBECONFIG to the file of an account.',
    ]);
  config.loadFromCluster();
  return config;
}

async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw explained(error);
  }
}

/** With what can be done about it. */
function explained(error: unknown): Error {
  if (!(error instanceof ApiException)) return error instanceof Error ? error : new Error(String(error));
  const said = messageOf(error.body);
  if (error.code === 422 || error.code === 400)
    return new WorkflowRefused(`Kubernetes refuses the workflow: ${said}`, { cause: error });
  if (error.code === 401 || error.code === 403)
    return new KubernetesError(
      error.code,
      `Kubernetes refuses the account of pipelines: ${said}. Its rights are in deploy/kubernetes/argo.yaml`,
      error,
    );
  return new KubernetesError(error.code, `Kubernetes answered ${error.code}: ${said}`, error);
}

function messageOf(body: unknown): string {
  try {
    const status: unknown = typeof body === 'string' ? JSON.parse(body) : body;
    const { message } = status as { message?: unknown };
    if (typeof message === 'string') return message.slice(0, 1000);
  } catch {
    // It is no answer of Kubernetes itself.
  }
  return 'nothing more';
}

const unless =
  <T>(code: number, instead: T) =>
  (error: unknown): T => {
    if (error instanceof KubernetesError && error.code === code) return instead;
    throw error;
  };

const isSilence = (error: unknown): boolean => {
  const name = (error as { name?: unknown } | null)?.name;
  return name === 'TimeoutError' || name === 'AbortError';
};
