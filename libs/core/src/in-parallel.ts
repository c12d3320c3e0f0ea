/** Does the work for each item, so many at once; the rest is left out when somebody wants to stop. */
export async function inParallel<Item>(
  items: readonly Item[],
  { atOnce, stopping }: { readonly atOnce: number; readonly stopping?: AbortSignal | undefined },
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) {
      if (stopping?.aborted) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
