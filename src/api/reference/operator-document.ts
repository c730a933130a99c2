/** What the parts of the reference read of a document that was generated from the routes. */
export interface GeneratedDocument {
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

/** Notes on operations of operators without a description of their own, by operation id. */
const TEXTS: Readonly<Record<string, string>> = {
  beginOperatorTwoStep: 'Gives the secret for an authenticator app; it counts once a code of it is confirmed.',
  confirmOperatorTwoStep: 'Shows recovery codes this once. 400 for a wrong code.',
  getOperatorSession: 'Who is signed in, and until when.',
  signOutOperator: 'Ends this session; other sessions of the operator go on.',
  listOperatorPasskeys: 'Each is a second step beside the authenticator app.',
  addOperatorPasskey: 'Takes the answer of the browser to the options that were given before. 400 when they do not belong together.',
  beginOperatorPasskey: 'Options for the browser’s `navigator.credentials.create`; they are good once.',
  listOperators: 'With the state of the sign-in of each.',
  getOperator: '404 for an unknown operator.',
  getOperatorPasskey: '404 for an unknown passkey, and for one of another operator.',
  listInstances: 'Suspended ones too; erased ones are under the erasures.',
  getInstance: '404 for an unknown instance.',
  getInstanceSignIn: 'Whether a provider is set and passwords are allowed. 404 for an unknown instance.',
  listErasures: 'What was erased, when, and by whom.',
  getErasure: '404 for an unknown erasure.',
  listInstanceQuotas: 'With what is used of each. 404 for an unknown instance.',
  getHealthOfDeployment: 'Workers, queues, database and backups of the whole deployment.',
}

/** The APIs for developers and for operators, as separate documents. */
export function splitDocument(generated: GeneratedDocument): { api: object; operators: object } {
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
      paths: Object.fromEntries(paths.filter(isOperators).map(([path, item]) => [path, withTexts(item)])),
      webhooks: {},
    },
  }
}

function withTexts(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]: [string, { operationId?: string }]) => {
      const description = TEXTS[operation.operationId ?? '']
      return [method, description === undefined ? operation : { description, ...operation }]
    }),
  )
}
