/** Answers what it is given, and never what is called `forever`. */
export default function answer(task: string): string {
  while (task === 'forever');
  return task;
}
