// The name of the file is the name of the tool. The comment and the types of the function describe
// it; they are read without running the file, and `toolscout {{name}} --help` shows them. A comment
// such as "timeout: 2m" at the top sets the time limit.

/**
 * {{description}}
 *
 * @param text - The text to print
 * @param times - How often to print it
 * @param loud - Print it in capitals
 */
export default function run(text: string, times: number = 1, loud: boolean = false): string {
  // A string is text, an object or a list is structured content, an exception is a failure.
  const line = loud ? text.toUpperCase() : text
  return Array(times).fill(line).join('\n')
}
