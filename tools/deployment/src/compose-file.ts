/** The part of a Compose file that the checks look at. */
export type ComposeFile = {
  services: Record<string, ComposeService>;
  volumes?: Record<string, unknown>;
  configs?: Record<string, unknown>;
};

export type ComposeService = {
  image?: string;
  build?: { context: string; dockerfile: string; args?: Record<string, string> } | undefined;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  configs?: { source: string }[];
  restart?: string;
  init?: boolean;
  pull_policy?: string | undefined;
  stop_grace_period?: string;
  privileged?: boolean;
  security_opt?: string[];
  healthcheck?: { test?: string[]; disable?: boolean };
  depends_on?: Record<string, { condition: string }>;
};

/** The app that a service runs, when it runs one of ours: an image is called for what is in it. */
export const appOf = ({ image }: ComposeService): string | undefined => /^platform-(\w+)$/.exec(image ?? '')?.[1];

/** A text with what its variables are by default. */
export function byDefault(text: string): string {
  const inner = text.replaceAll(/\$\{\w+:-([^${}]*)\}/g, '$1');
  return inner === text ? text : byDefault(inner);
}

/** A text as Compose reads it with these variables. */
export function interpolated(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  const inner = text.replaceAll(/\$\{(\w+)(?::([-+?])([^${}]*))?\}/g, (_, name: string, kind: string, word: string) => {
    const value = environment[name] ?? '';
    if (kind === '+') return value && word;
    return value === '' && kind === '-' ? word : value;
  });
  return inner === text ? text : interpolated(inner, environment);
}

/** A service that does one thing and ends. */
export const isOneShot = (service: ComposeService): boolean => service.restart === 'no';

/** Whether Compose can tell when a service works. An app's health check stands in its image. */
export const hasHealthCheck = (service: ComposeService): boolean =>
  service.healthcheck?.disable !== true && (service.healthcheck?.test !== undefined || appOf(service) !== undefined);
