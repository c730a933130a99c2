import { Button, FileButton, Group, Text } from '@mantine/core'
import { useState } from 'react'
import type { OwnerPages } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { ownerPageTexts } from '../../texts/pages/owner-pages.ts'

const PATH = '/instance/owner-pages/logo'
const MAX_BYTES = 102_400

/** Logo: uploaded and removed at once, not with the form. */
export function Logo({ logo }: { logo: OwnerPages['logo'] }) {
  const texts = useTexts(ownerPageTexts)
  const [isTooLarge, setIsTooLarge] = useState(false)
  const save = useChange<string>((content) => ({ method: 'PUT', path: PATH, body: { content } }))
  const remove = useChange<void>(() => ({ method: 'DELETE', path: PATH }))
  const choose = async (file: File | null) => {
    if (!file) return
    setIsTooLarge(file.size > MAX_BYTES)
    if (file.size <= MAX_BYTES) save.mutate(toBase64(new Uint8Array(await file.arrayBuffer())))
  }
  const problem = save.error ?? remove.error
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {texts.logoHint}
      </Text>
      <Group>
        {logo ? (
          <img className="own-logo" src={logo.address} alt={texts.logoAlt} width={64} height={64} />
        ) : (
          <Text size="sm">{texts.logoNone}</Text>
        )}
        <FileButton onChange={(file) => void choose(file)} accept="image/png,image/jpeg,image/webp">
          {(props) => (
            <Button {...props} size="xs" variant="default" loading={save.isPending}>
              {texts.logoChoose}
            </Button>
          )}
        </FileButton>
        {logo && (
          <Confirm label={texts.logoRemove} title={texts.logoRemoveTitle} question={texts.logoRemoveQuestion} {...remove.toConfirm()} />
        )}
      </Group>
      {isTooLarge && (
        <Text role="alert" className="danger" size="sm">
          {texts.logoTooLarge}
        </Text>
      )}
      {problem && <ProblemBox problem={problem} />}
    </>
  )
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
