/** Of the fields of a request those that an update is about: which its mask names, by their spelling in the contract. */
export function fieldsGiven<Fields extends object>(
  mask: { readonly paths: readonly string[] } | null,
  fields: Fields,
): Partial<Fields> {
  const given = Object.entries(fields).filter(([field]) => mask?.paths.includes(snakeCase(field)));
  return Object.fromEntries(given) as Partial<Fields>;
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
