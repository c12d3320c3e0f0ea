/** The commands below a heading of a page, block by block. @throws Error when there are none. */
export function blocksUnder(page: string, heading: string): string[] {
  const sections = page.split(/^(?=## )/m);
  const section = sections.find((text) => text.startsWith(`## ${heading}\n`));
  const blocks = [...(section ?? '').matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  if (blocks.length === 0) throw new Error(`there are no commands below "${heading}"`);
  return blocks;
}
