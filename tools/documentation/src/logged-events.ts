/** The events of log lines at these levels, as a file of TypeScript names them. */
export function loggedEvents(text: string, levels: readonly string[]): string[] {
  const call = new RegExp(`logger\\??\\.(?:${levels.join('|')})\\(\\s*\\{\\s*event: '([a-z_.]+)'`, 'g');
  return [...text.matchAll(call)].map(([, event = '']) => event);
}

/** Those that a page names: `events.set_aside`. */
export const namedEvents = (section: string): string[] =>
  [...section.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, event = '']) => event);
