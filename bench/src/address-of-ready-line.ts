/** Where a service answers, from the line that says so; undefined for every other line. */
export function addressOfReadyLine(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const said = JSON.parse(line) as { ready?: boolean; address?: string };
  return said.ready === true ? said.address : undefined;
}
