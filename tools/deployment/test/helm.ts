import { hasSharedPrograms, sharedProgram } from '@platform-backend/testing';
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';

export const root = resolve(import.meta.dirname, '../../..');
export const chart = join(root, 'deploy/helm/platform');

/** Why the chart cannot be tried here; undefined where it can. */
export const helmLack = hasSharedPrograms ? undefined : 'helm is not beside the repository (../shared/bin/get)';

/** The oldest Kubernetes that the chart is for. */
export const KUBERNETES = '1.33.0';

/** What the chart is tried with: one release for all, one for one service, and every choice the other way round. */
export const VALUES = ['whole', 'identity', 'everything'] as const;

export const valuesFile = (name: (typeof VALUES)[number]): string => join(chart, 'ci', `${name}.yaml`);

/** @throws Error with what it says, where it fails. */
export const helm = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(sharedProgram('helm'), args, { maxBuffer: 2 ** 24 })).stdout;

export interface Peer {
  readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
}

export interface Container {
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** The fields of Kubernetes objects that tests look at. */
export interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly automountServiceAccountToken?: boolean;
  readonly spec: {
    readonly template: {
      readonly spec: { readonly containers: readonly Container[] } & Readonly<Record<string, unknown>>;
    };
    readonly ingress: readonly {
      readonly from?: readonly Peer[];
      readonly ports: readonly { readonly port: unknown }[];
    }[];
    readonly egress: readonly {
      readonly to?: readonly Peer[];
      readonly ports: readonly { readonly port: unknown }[];
    }[];
    readonly [field: string]: unknown;
  };
}

/** What a release with these values is made of. */
export async function objectsOf(...args: readonly string[]): Promise<KubernetesObject[]> {
  const text = await helm('template', 'release', chart, '--kube-version', KUBERNETES, ...args);
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as KubernetesObject | null) ?? []);
}
