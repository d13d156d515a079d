// Two tools in one module: the default export comes first, then the named ones in order.
// A tool is an object with a name, an input schema and a handler; nothing needs to be imported for that.

const document = { type: 'string', description: 'JSON, as text' }

export default {
  name: 'json-query',
  description: 'Take a part out of a JSON document by its path',
  keywords: ['json', 'query', 'path', 'extract'],
  inputSchema: {
    type: 'object',
    properties: {
      document,
      path: { type: 'string', description: 'Names and positions with dots between, such as users.0.name' },
    },
    required: ['document', 'path'],
  },
  annotations: { readOnlyHint: true },
  handler({ document, path }) {
    let here = JSON.parse(document)
    for (const step of path.split('.').filter(Boolean)) {
      // Own properties only: `constructor` is a name like any other.
      if (here === null || typeof here !== 'object' || !Object.hasOwn(here, step)) {
        throw new Error(`there is no \`${step}\` in ${summary(here)}`)
      }
      here = here[step]
    }
    return here
  },
}

export const format = {
  name: 'json-format',
  description: 'Check a JSON document and lay it out for reading',
  keywords: ['json', 'pretty', 'validate', 'indent'],
  inputSchema: {
    type: 'object',
    properties: {
      document,
      indent: { type: 'integer', minimum: 0, maximum: 8, default: 2, description: 'Spaces for each level' },
      sort: { type: 'boolean', default: false, description: 'Put the keys in order' },
    },
    required: ['document'],
  },
  annotations: { readOnlyHint: true },
  handler({ document, indent = 2, sort = false }) {
    const value = JSON.parse(document)
    return { content: [{ type: 'text', text: JSON.stringify(sort ? sorted(value) : value, null, indent) }] }
  },
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]))
}

function summary(value) {
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
