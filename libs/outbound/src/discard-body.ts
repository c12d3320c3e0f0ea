/** Gives back the connection of an answer whose body nobody reads. That it was answered counts, and not how the rest of it ends. */
export async function discardBody({ body }: Pick<Response, 'body'>): Promise<void> {
  await body?.cancel().catch(() => undefined);
}
