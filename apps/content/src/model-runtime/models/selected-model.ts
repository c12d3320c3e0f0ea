/** A model of its kind, and what whoever starts the service should know of it. */
export interface SelectedModel<Model> {
  readonly model: Model;
  /** Which it is, and what would make it better. */
  readonly notice: string;
  readonly close: () => Promise<void>;
}

export const nothingToClose = { close: () => Promise.resolve() };

/** What installs models, for the notice of a model that would be better with one. */
export const INSTALL = 'npm run models -- install';
