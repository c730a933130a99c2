import { Button, Text } from '@mantine/core'
import type { SendConnectionLinkResponse } from '../../api/generated/types.ts'
import { useChange, useRights } from '../../api/reads.ts'
import { Section } from '../../parts/layout/page.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { mailTexts } from '../../texts/pages/mail.ts'
import { Queued } from './queued.tsx'

/** Mails the owner a link to the owner's page, to the address that the owner gave. */
export function OwnerPageMail({ companyId }: { companyId: string }) {
  const texts = useTexts(mailTexts)
  const { mayOperate } = useRights()
  const send = useChange<void, SendConnectionLinkResponse>(() => ({
    method: 'POST',
    path: `/normalized-data/companies/${companyId}/owner-page-mail`,
  }))
  return (
    <Section title={texts.kinds.ownerPage}>
      <Text size="sm" mb="sm" maw={720}>
        {texts.ownerPageLead}
      </Text>
      {mayOperate && (
        <Button size="xs" variant="default" loading={send.isPending} onClick={() => send.mutate()}>
          {texts.ownerPageSend}
        </Button>
      )}
      <Queued sending={send} />
    </Section>
  )
}
