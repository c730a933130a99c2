import { Button, Text, Title } from '@mantine/core'
import { useRights } from '../../api/reads.ts'
import type { ConnectionDetail } from '../../api/types.ts'
import { ProblemBox } from '../../parts/problem-box.tsx'
import { Words } from '../../parts/words.tsx'
import { connectionTexts } from '../../texts/connection.ts'
import { useTexts } from '../../texts/language.tsx'
import { healthOf, mender } from '../../texts/statuses.ts'
import { MadeLink, useLink } from '../companies/link-maker.tsx'
import { OwnerMessage } from '../inbox/owner-message.tsx'
import type { Place } from './place.ts'

interface CauseProps {
  place: Place
  connection: Pick<ConnectionDetail, 'statusCode' | 'fault' | 'serviceName'>
  companyName: string
  isStale: boolean
}

/** Why a connection is at fault, who can mend it, and the link to do so in one click. */
export function Cause({ place, connection, companyName, isStale }: CauseProps) {
  const texts = useTexts(connectionTexts)
  const { mayOperate } = useRights()
  const link = useLink(place.companyId, place.serviceId)
  const { statusCode, fault, serviceName } = connection
  if (healthOf(statusCode) !== 'bad') return isStale && healthOf(statusCode) === 'good' ? <Text c="dimmed">{texts.stale}</Text> : null
  const who = mender(statusCode)
  return (
    <section className="cause" aria-label={texts.cause}>
      <Title order={2} size="h4">
        {texts.cause}
      </Title>
      {fault && (
        <Text fw={600}>
          <Words most={600}>{fault}</Words>
        </Text>
      )}
      <Text size="sm" mb="sm">
        {who === 'owner' ? texts.causeOwner : texts.causeDeveloper}
      </Text>
      {who === 'owner' && mayOperate && (
        <Button size="xs" onClick={() => link.mutate()} loading={link.isPending}>
          {texts.repair}
        </Button>
      )}
      {link.error && <ProblemBox problem={link.error} />}
      {link.data && (
        <>
          <MadeLink address={link.data.link} />
          <OwnerMessage company={companyName} service={serviceName} link={link.data.link} />
        </>
      )}
    </section>
  )
}
