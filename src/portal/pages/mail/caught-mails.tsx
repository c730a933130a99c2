import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import type { CaughtMail } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { UserText, When } from '../../parts/display/user-text.tsx'
import { Empty, Section } from '../../parts/layout/page.tsx'
import { Pager, usePageNumber } from '../../parts/tables/pager.tsx'
import { paginate } from '../../parts/tables/paginate.ts'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { mailTexts } from '../../texts/pages/mail.ts'

const PAGE_SIZE = 25
const LINK = /https?:\/\/[^\s<>"]+/g

/** Mails that the sandbox caught. */
export function CaughtMails() {
  const texts = useTexts(mailTexts)
  const caught = useRead<CaughtMail[]>('/sandbox/mails', { everyMs: 3_000 })
  return (
    <Section title={texts.caught}>
      <Text size="sm" mb="sm">
        {texts.caughtLead}
      </Text>
      <Answer read={caught}>
        {(mails) => (mails.length === 0 ? <Empty title={texts.noCaught}>{texts.noneHint}</Empty> : <List mails={mails} />)}
      </Answer>
    </Section>
  )
}

function List({ mails }: { mails: readonly CaughtMail[] }) {
  const [openId, setOpenId] = useState<string | null>(null)
  const [pageNumber, turn] = usePageNumber('caught')
  const page = paginate(mails, Number(pageNumber ?? 1), PAGE_SIZE)
  return (
    <>
      <ul className="mails">
        {page.data.map((mail) => (
          <li key={mail.id + mail.page}>
            <Button
              variant="default"
              className="mail-line"
              aria-expanded={openId === mail.page}
              onClick={() => setOpenId(openId === mail.page ? null : mail.page)}
            >
              <UserText most={100}>{mail.subject}</UserText>
            </Button>
            <Text size="xs" c="dimmed">
              <UserText most={80}>{mail.to}</UserText> · <When at={mail.on} />
            </Text>
            {openId === mail.page && <Opened mail={mail} />}
          </li>
        ))}
      </ul>
      {page.total > PAGE_SIZE && <Pager page={page} onTurn={turn} />}
    </>
  )
}

/** The HTML part is in a sandboxed frame without scripts and without our origin. */
function Opened({ mail }: { mail: CaughtMail }) {
  const texts = useTexts(mailTexts)
  const formats = useFormats()
  const [isText, setIsText] = useState(false)
  // The developer's note may contain anything that looks like a URL.
  const links = [...new Set(mail.text.match(LINK) ?? [])].filter((link) => URL.canParse(link))
  return (
    <div className="section">
      <Group gap="xs" mb="xs">
        <Button size="xs" variant={isText ? 'default' : 'filled'} aria-pressed={!isText} onClick={() => setIsText(false)}>
          {texts.asPage}
        </Button>
        <Button size="xs" variant={isText ? 'filled' : 'default'} aria-pressed={isText} onClick={() => setIsText(true)}>
          {texts.asText}
        </Button>
        {links.map((link) => (
          <Button
            key={link}
            component="a"
            href={link}
            target="_blank"
            rel="noreferrer"
            size="xs"
            variant="default"
            aria-label={formats.named(texts.openLink, new URL(link).pathname)}
          >
            {texts.openLink} {new URL(link).pathname}
          </Button>
        ))}
      </Group>
      {isText ? (
        <pre className="words mail-text">{mail.text}</pre>
      ) : (
        <iframe
          className="mail-page"
          title={mail.subject.slice(0, 100)}
          src={mail.page}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
        />
      )}
    </div>
  )
}
