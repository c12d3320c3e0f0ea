import { CoreV1Api, CustomObjectsApi, KubeConfig, type ApiException, type V1PodSpec } from '@kubernetes/client-node';
import { throwawayKubernetes } from '@platform-backend/testing';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';

export const repository = join(import.meta.dirname, '../../../../..');

export const NAMESPACE = 'argo';

export type KubernetesUnderTest = Awaited<ReturnType<typeof startKubernetes>>;

export async function startKubernetes() {
  const kubernetes = await throwawayKubernetes();
  const { directory, port, kubectl } = kubernetes;
  const config = new KubeConfig();
  config.loadFromFile(kubernetes.kubeconfig);
  const proxy = await startProxy(port);
  // As the platform reaches it: with its own account, over a connection that can be cut.
  const kubeconfig = join(directory, 'proxied.kubeconfig');
  const own = readFileSync(join(directory, 'platform.kubeconfig'), 'utf8');
  writeFileSync(kubeconfig, own.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${proxy.port}`), { mode: 0o600 });
  return {
    kubeconfig,
    kubectl,
    core: config.makeApiClient(CoreV1Api),
    objects: config.makeApiClient(CustomObjectsApi),
    proxy,
    /** Why a namespace for restricted pods would not take this one; undefined: it would. */
    async refusalOfRestricted(spec: V1PodSpec): Promise<string | undefined> {
      const name = 'restricted';
      const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
      const core = config.makeApiClient(CoreV1Api);
      await core.createNamespace({ body: { metadata: { name, labels } } }).catch(unlessThere);
      const account = { metadata: { name: spec.serviceAccountName ?? 'default' } };
      await core.createNamespacedServiceAccount({ namespace: name, body: account }).catch(unlessThere);
      try {
        await core.createNamespacedPod({ namespace: name, body: { metadata: { name: 'pod' }, spec }, dryRun: 'All' });
        return undefined;
      } catch (error) {
        return (error as ApiException<string>).body;
      }
    },
    async stop() {
      await proxy.close();
      await kubernetes.stop();
    },
  };
}

/** Between a client and the API server, so that the server can go away without ending. */
async function startProxy(target: number) {
  const sockets = new Set<Socket>();
  let isDown = false;
  const server = createServer((socket) => {
    if (isDown) {
      socket.destroy();
      return;
    }
    const other = connect(target, '127.0.0.1');
    for (const [one, partner] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(one);
          partner.destroy();
        });
      one.pipe(partner);
    }
  });
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    goAway() {
      isDown = true;
      cut();
    },
    comeBack() {
      isDown = false;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

/** What another attempt has made already. */
export function unlessThere(error: unknown): void {
  if (codeOf(error) !== 409) throw error;
}
