/** The names of models in a setting, with commas between. */
export const namesIn = (list: string): readonly string[] =>
  list.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
