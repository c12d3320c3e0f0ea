/** A kernel that is to be had by its name; what is not given is as for all. */
export interface KernelspecSetting {
  readonly name: string;
  readonly display_name?: string;
  /** A Python that has ipykernel; else it is Pyodide's. */
  readonly python?: string;
  readonly memory_mb?: number;
  /** Of Pyodide. */
  readonly packages?: readonly string[];
}

const MAX_SPECS = 20;
const fields: Readonly<Record<string, (value: unknown) => boolean>> = {
  name: (value) => isText(value) && /^[a-z0-9][a-z0-9-]{0,62}$/.test(value),
  display_name: (value) => isText(value) && value.length <= 100,
  python: isText,
  memory_mb: (value) => Number.isInteger(value) && Number(value) >= 128 && Number(value) <= 65_536,
  packages: (value) => Array.isArray(value) && value.length <= 200 && value.every(isText),
};

/** Of the setting with all of them: each name once, and nothing that is not known. */
export function isKernelspecs(value: unknown): value is readonly KernelspecSetting[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_SPECS) return false;
  const specs: readonly unknown[] = value;
  return specs.every(isKernelspec) && new Set(specs.map(({ name }) => name)).size === specs.length;
}

function isKernelspec(value: unknown): value is KernelspecSetting {
  if (typeof value !== 'object' || value === null || !('name' in value)) return false;
  return Object.entries(value).every(([name, given]) => Object.hasOwn(fields, name) && fields[name]?.(given) === true);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
