import { Button, Group, Text } from '@mantine/core'
import type { OneTimeLink } from '../api/operator.ts'
import { Copyable } from '../parts/display/copy.tsx'
import { useFormats, useTexts } from '../texts/language/language.tsx'
import { operatorTexts } from '../texts/pages/operator.ts'

/** A one-time link, shown this once. */
export function LinkShown({ link, onClose }: { link: OneTimeLink; onClose(): void }) {
  const texts = useTexts(operatorTexts)
  const formats = useFormats()
  return (
    <div role="status">
      <Text size="sm" mb="sm">
        {texts.linkLead(link.email, formats.instant(link.expiresOn))}
      </Text>
      <Copyable text={link.address} />
      <Group justify="flex-end" mt="md">
        <Button onClick={onClose}>{texts.passedOn}</Button>
      </Group>
    </div>
  )
}
