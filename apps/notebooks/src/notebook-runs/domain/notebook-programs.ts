import type { ProgramCell } from './notebook-program.ts';
import type { Parameters } from './parameters.ts';
import type { ShownCells } from './shown-cells.ts';

/** The text of a notebook, with what it is carried out with. */
export interface ParameterisedNotebook {
  readonly text: string;
  readonly parameters: Parameters;
}

/** Reads notebooks for runs of them. TOO_LARGE: it would take too long. UNAVAILABLE: too many wait already. */
export interface NotebookPrograms {
  /** The cells as they run. INVALID: a name that no variable can have. */
  readonly cellsOf: (organisationId: string, notebook: ParameterisedNotebook) => Promise<readonly ProgramCell[]>;
  /** The text of the notebook as it is when its cells have run. */
  readonly textOf: (organisationId: string, notebook: ParameterisedNotebook, shown: ShownCells) => Promise<string>;
}
