import type { ProgramCell } from './notebook-program.ts';
import type { Parameters } from './parameters.ts';
import type { ShownCells } from './shown-cells.ts';

/** The text of a notebook, with what it is carried out with. */
export interface ParameterisedNotebook {
  readonly text: string;
  readonly parameters: Parameters;
}

/** What is read of a notebook that shall run. */
export interface RunnableNotebook {
  readonly cells: readonly ProgramCell[];
  /** Of the kernelspec that it names; empty: it names none. */
  readonly kernelName: string;
}

/** Reads notebooks for runs of them. TOO_LARGE: it would take too long. UNAVAILABLE: too many wait already. */
export interface NotebookPrograms {
  /** As `cellsOf`, with the kernel that the notebook names. */
  readonly read: (organisationId: string, notebook: ParameterisedNotebook) => Promise<RunnableNotebook>;
  /** The cells as they run. INVALID: a name that no variable can have. */
  readonly cellsOf: (organisationId: string, notebook: ParameterisedNotebook) => Promise<readonly ProgramCell[]>;
  /** The text of the notebook as it is when its cells have run. */
  readonly textOf: (organisationId: string, notebook: ParameterisedNotebook, shown: ShownCells) => Promise<string>;
}
