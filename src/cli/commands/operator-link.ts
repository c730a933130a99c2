import { defineCommand, UsageError } from '../command/command.ts'

export const operatorLink = defineCommand({
  name: 'operator-link',
  summary: 'prints a one-time link with which an operator of the deployment sets a password',
  description: [
    'Operators make, suspend, export and erase instances at BASE_URL/operator. The first one begins with this command; one with this address is made where there is none. The link works once, for an hour, and makes earlier ones of that operator invalid. Whoever has it becomes that operator, so pass it on like a password.',
    'A second factor is required from the first sign-in on. --reset-two-step is for an operator who has lost it, with the recovery codes: it is set up again.',
    'On the embedded PostgreSQL it works while the service runs, too.',
  ],
  options: {
    email: { value: 'ADDRESS', summary: 'the operator' },
    name: { value: 'NAME', summary: 'name of a new operator; the address when left out' },
    'reset-two-step': { summary: 'removes the second factor, which the next sign-in sets up again' },
  },
  examples: [
    { line: 'countinghouse operator-link --email ops@example.com --name "Avery Tremblay"', summary: 'for the first operator' },
    { line: 'countinghouse operator-link --email ops@example.com --reset-two-step', summary: 'after a lost phone' },
  ],
  run: async (values, context) => {
    const email = values.text('email')
    if (email === null) throw new UsageError('--email is missing: the operator')
    const [{ issueOperatorLink }, { withOperator }, { checkEmail }] = await Promise.all([
      import('../../api/operator/links.ts'),
      import('../deployment/open-operator.ts'),
      import('../deployment/email-option.ts'),
    ])
    checkEmail('email', email)
    return await withOperator(context, 'operator-link', async (operator) => {
      const request = { email, name: values.text('name'), resetsTwoStep: values.flag('reset-two-step') }
      const { address, expiresAt, operator: account } = await issueOperatorLink(operator, request, operator.publicUrl)
      return {
        document: { email: account.email, address, expiresOn: expiresAt.toISOString() },
        text: [`${account.email} sets a password here, once, until ${expiresAt.toISOString()}:`, '', address].join('\n'),
      }
    })
  },
})
