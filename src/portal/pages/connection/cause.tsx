import { Button, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ConnectionDetail, FaultCode } from '../../api/generated/types.ts'
import { useRights } from '../../api/reads.ts'
import { ProblemBox } from '../../parts/problem-box.tsx'
import { When, Words } from '../../parts/words.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { faultTexts, PARTIES } from '../../texts/messages/faults.ts'
import { healthOf, menderOf } from '../../texts/messages/statuses.ts'
import { connectionTexts } from '../../texts/pages/connection.ts'
import { mailTexts } from '../../texts/pages/mail.ts'
import { MadeLink, useLink } from '../links/link-maker.tsx'
import { OwnerMessage } from '../links/owner-message.tsx'
import { SendLink } from '../mail/send-link.tsx'
import type { Place } from './place.ts'

interface CauseProps {
  place: Place
  connection: Pick<ConnectionDetail, 'statusCode' | 'fault' | 'faultCode' | 'trouble' | 'serviceName'>
  companyName: string
  isStale: boolean
}

/** Why a connection is at fault or late, who can mend it, and the link to do so in one click. */
export function Cause({ place, connection, companyName, isStale }: CauseProps) {
  const texts = useTexts(connectionTexts)
  const { statusCode, fault, faultCode, trouble } = connection
  const health = healthOf(statusCode)
  if (health === 'bad') {
    return (
      <Box title={texts.cause} code={faultCode} words={fault} fallback={menderOf(connection)}>
        {menderOf(connection) === 'owner' && <Repair place={place} serviceName={connection.serviceName} companyName={companyName} />}
      </Box>
    )
  }
  if (fault !== null && faultCode === 'deletionsHeldBack')
    return <Box title={texts.heldBackTitle} code={faultCode} words={fault} fallback={null} isWaiting />
  if (trouble && health !== 'idle') {
    return (
      <Box title={texts.waitingTitle} code={trouble.code} words={trouble.message} fallback="developer" isWaiting>
        <Text size="sm">
          {texts.failedOn} <When at={trouble.on} /> · {texts.nextTry} <When at={trouble.nextAttemptOn} />
        </Text>
      </Box>
    )
  }
  return isStale && health === 'good' ? <Text c="dimmed">{texts.stale}</Text> : null
}

interface BoxProps {
  title: string
  code: FaultCode | null
  /** As the log says it. */
  words: string | null
  fallback: 'owner' | 'developer' | null
  isWaiting?: boolean
  children?: ReactNode
}

function Box({ title, code, words, fallback, isWaiting = false, children }: BoxProps) {
  const texts = useTexts(connectionTexts)
  const { said, parties } = useTexts(faultTexts)
  const { cause, next } = code === null ? { cause: null, next: fallback === 'owner' ? texts.causeOwner : texts.causeDeveloper } : said[code]
  return (
    <section className={isWaiting ? 'cause cause-waiting' : 'cause'} aria-label={title} data-code={code ?? undefined}>
      <Title order={2} size="h4">
        {title}
      </Title>
      {cause && <Text fw={600}>{cause}</Text>}
      {code && <Text size="sm">{parties[PARTIES[code]]}.</Text>}
      <Text size="sm" mb="xs">
        <strong>{texts.next}</strong> · {next}
      </Text>
      {words && (
        <Text size="sm" c="dimmed" mb="sm">
          {texts.detail} ·{' '}
          <span lang="en">
            <Words most={600}>{words}</Words>
          </span>
        </Text>
      )}
      {children}
    </section>
  )
}

function Repair({ place, serviceName, companyName }: { place: Place; serviceName: string; companyName: string }) {
  const texts = useTexts(connectionTexts)
  const { mayOperate } = useRights()
  const mails = useTexts(mailTexts)
  const link = useLink(place.companyId, place.serviceId)
  if (!mayOperate) return null
  return (
    <>
      <Button size="xs" onClick={() => link.mutate()} loading={link.isPending}>
        {texts.repair}
      </Button>
      {link.error && <ProblemBox problem={link.error} />}
      {link.data && (
        <>
          <MadeLink address={link.data.link} />
          <OwnerMessage company={companyName} service={serviceName} link={link.data.link} />
        </>
      )}
      <details className="send-link">
        <summary>{mails.send}</summary>
        <SendLink companyId={place.companyId} serviceId={place.serviceId} />
      </details>
    </>
  )
}
