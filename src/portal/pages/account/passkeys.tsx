import { Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import type { NewPasskey, Passkey, PasskeyCreation } from '../../api/generated/types.ts'
import { makePasskey } from '../../api/passkeys.ts'
import type { Problem } from '../../api/problem.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { PasskeyList } from '../../parts/passkeys.tsx'
import { passkeyTexts } from '../../texts/account/passkeys.ts'
import { useTexts } from '../../texts/language/language.tsx'

/** Own passkeys; the first second step comes with recovery codes. */
export function Passkeys({ onCodes }: { onCodes(codes: string[]): void }) {
  const texts = useTexts(passkeyTexts)
  const client = useQueryClient()
  const passkeys = useRead<Passkey[]>('/auth/passkeys')
  const add = useMutation<NewPasskey, Problem, string>({
    mutationFn: async (name) => {
      const options = await call<PasskeyCreation>('/auth/passkeys/options', { method: 'POST', body: {} })
      return await call<NewPasskey>('/auth/passkeys', { method: 'POST', body: { name, passkey: await makePasskey(options) } })
    },
    onSuccess: async ({ recoveryCodes }) => {
      if (recoveryCodes.length > 0) onCodes(recoveryCodes)
      await client.invalidateQueries()
    },
  })
  const rename = useChange<{ id: string; name: string }>(({ id, name }) => ({
    method: 'PUT',
    path: `/auth/passkeys/${id}`,
    body: { name },
  }))
  const remove = useChange<string>((id) => ({ method: 'DELETE', path: `/auth/passkeys/${id}` }))
  return (
    <>
      <Title order={3} size="h5" mt="lg" mb="xs">
        {texts.title}
      </Title>
      <PasskeyList passkeys={passkeys} add={add} rename={rename} remove={remove} />
    </>
  )
}
