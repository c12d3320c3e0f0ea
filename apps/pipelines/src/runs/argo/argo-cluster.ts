import type { WorkflowManifest } from '../domain/workflow-manifest.ts';
import type { Workflow } from './workflow.ts';

/** Argo as far as runs need it. What there is not is `undefined`, or nothing happens. */
export interface ArgoCluster {
  /** One that is there already stays as it is. @throws WorkflowRefused what would never be accepted. */
  readonly submit: (workflow: WorkflowManifest) => Promise<void>;
  readonly find: (name: string) => Promise<Workflow | undefined>;
  /** Those of ours that go on, and the version of this answer. */
  readonly listGoing: () => Promise<{ readonly workflows: readonly Workflow[]; readonly version: string }>;
  /**
   * Tells of every change after a version. Answers the version up to which all was told, or undefined where that is not
   * known any more and they have to be listed again.
   */
  readonly watch: (
    version: string,
    onChange: (workflow: Workflow, isGone: boolean) => void,
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  readonly terminate: (name: string) => Promise<void>;
  /** The log of the program in a pod, each line with its time. */
  readonly logOf: (pod: string) => Promise<string | undefined>;
}

/** Trying it again would help nobody. */
export class WorkflowRefused extends Error {
  override readonly name = 'WorkflowRefused';
}
