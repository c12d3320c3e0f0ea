import type { KernelSpec } from '../domain/kernel-provider.ts';

/** Beginnings of languages, as people know them. */
const SHORT: Readonly<Record<string, string>> = { python: 'Py', javascript: 'JS', typescript: 'TS', julia: 'Jl' };
const MAX_LETTERS = 2;

/** From the base URL of a Jupyter client on, which looks for `kernelspecs` in it. */
export const logoPath = ({ name }: KernelSpec): string => `/kernelspecs/${encodeURIComponent(name)}/logo-svg.svg`;

/** What stands for a kind of kernel where clients offer it: the language in two letters, in a colour of its own. */
export function logoOf({ language }: KernelSpec): string {
  const letters = SHORT[language.toLowerCase()] ?? language.replace(/[^\p{L}\p{N}]/gu, '').slice(0, MAX_LETTERS);
  const hue = Buffer.from(language).reduce((sum, byte) => (sum * 31 + byte) % 360, 0);
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64">' +
    `<rect width="64" height="64" rx="12" fill="hsl(${String(hue)} 45% 40%)"/>` +
    `<text x="32" y="43" font-family="sans-serif" font-size="30" text-anchor="middle" fill="white">${letters}</text></svg>`
  );
}
