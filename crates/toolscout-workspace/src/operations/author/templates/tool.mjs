// The name of the file is the name of the tool. The comment of the function describes it; it is read
// without running the file, and `toolscout {{name}} --help` shows it. A comment such as
// "timeout: 2m" at the top sets the time limit.

/**
 * {{description}}
 *
 * @param {string} text - The text to print
 * @param {number} [times=1] - How often to print it
 * @param {boolean} [loud=false] - Print it in capitals
 */
export default function run(text, times = 1, loud = false) {
  // A string is text, an object or a list is structured content, an exception is a failure.
  const line = loud ? text.toUpperCase() : text
  return Array(times).fill(line).join('\n')
}
