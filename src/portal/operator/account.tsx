import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Passkey, PasskeyCreation } from '../api/generated/types.ts'
import { callOperator, useOperatorChange, useOperatorRead } from '../api/operator.ts'
import { makePasskey } from '../api/passkeys.ts'
import type { Problem } from '../api/problem.ts'
import { Page } from '../parts/layout/page.tsx'
import { PasskeyList } from '../parts/passkeys.tsx'
import { accountTexts } from '../texts/account/account.ts'
import { useTexts } from '../texts/language/language.tsx'

/** Own account of an operator: passkeys. */
export function OperatorAccount() {
  const texts = useTexts(accountTexts)
  const client = useQueryClient()
  const passkeys = useOperatorRead<Passkey[]>('/sign-in/passkeys')
  const add = useMutation<unknown, Problem, string>({
    mutationFn: addPasskey,
    onSuccess: async () => await client.invalidateQueries(),
  })
  const rename = useOperatorChange<{ id: string; name: string }>(({ id, name }) => ({
    method: 'PUT',
    path: `/sign-in/passkeys/${id}`,
    body: { name },
  }))
  const remove = useOperatorChange<string>((id) => ({ method: 'DELETE', path: `/sign-in/passkeys/${id}` }))
  return (
    <Page title={texts.title}>
      <PasskeyList passkeys={passkeys} add={add} rename={rename} remove={remove} />
    </Page>
  )
}

/** Makes a passkey and registers it; the first second factor of an operator gives recovery codes. */
export async function addPasskey(name: string): Promise<{ recoveryCodes: string[] }> {
  const options = await callOperator<PasskeyCreation>('/sign-in/passkeys/options', { method: 'POST' })
  const body = { name, passkey: await makePasskey(options), keep: 'cookie' }
  return await callOperator('/sign-in/passkeys', { method: 'POST', body })
}
