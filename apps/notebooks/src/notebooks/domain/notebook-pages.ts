/** Makes pages of notebooks. */
export interface NotebookPages {
  /**
   * HTML that needs nothing else and runs nothing. CONFLICT: it would take too long. UNAVAILABLE: too many wait already, of
   * the organisation or in all.
   */
  readonly html: (organisationId: string, name: string, text: string) => Promise<string>;
}
