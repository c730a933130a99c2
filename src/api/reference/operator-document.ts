/** Minimum of a generated document. */
interface Generated {
  info: object
  paths?: Record<string, unknown>
  tags?: readonly { name: string }[]
}

const OPERATOR_PATH = '/operator/'

const TAGS = [
  { name: 'Sign-in', description: 'Sessions of operators: password, second step, one-time links.' },
  { name: 'Operators', description: 'Who runs the deployment.' },
  { name: 'Instances', description: 'The tenants of the deployment.' },
  { name: 'Deployment', description: 'Health of the whole, and the audit of operators.' },
]

/** The API of developers and that of operators, as documents of their own. */
export function splitDocument(generated: Generated): { api: object; operators: object } {
  const paths = Object.entries(generated.paths ?? {})
  const isOperators = ([path]: readonly [string, unknown]) => path.startsWith(OPERATOR_PATH)
  return {
    api: { ...generated, paths: Object.fromEntries(paths.filter((entry) => !isOperators(entry))) },
    operators: {
      ...generated,
      info: {
        ...generated.info,
        title: 'Countinghouse operator API',
        description: 'Instances of a deployment, for those who run it. Tokens of users open nothing here.',
      },
      tags: TAGS,
      paths: Object.fromEntries(paths.filter(isOperators)),
      webhooks: {},
    },
  }
}
