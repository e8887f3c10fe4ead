/**
 * Short documents as people keep them, queries as people type them, and which of the documents answer each: 2 for what was meant, 1 for what helps.
 * Judged by hand before anything was measured, so that there is a set where `../shared` is absent.
 */

export interface SmallDocument {
  readonly key: string;
  readonly title: string;
  readonly text: string;
}

export const DOCUMENTS: readonly SmallDocument[] = `
car-insurance | Car insurance | The policy for the car is paid every January. Damage by hail is covered, a broken windscreen costs 150 euros of our own.
tyres | Changing tyres | Winter tyres go on in October and come off at Easter. The garage stores the other set for a fee.
repair-bill | Invoice of the garage | Brake discs and pads were replaced, front and rear. The mechanic says the exhaust will last another year.
electric | Charging at home | The wall box charges the vehicle over night in eight hours. Cheap power begins at eleven.
licence | Driving licence | The old paper licence has to be exchanged before 2028. Bring a passport photo to the town hall.
tomatoes | Growing tomatoes | Sow the seeds indoors in March, plant them out in the middle of May. Water the roots, never the leaves, or blight comes.
roses | Pruning roses | Cut roses back when the forsythia blooms. Take out dead wood first, then everything that crosses.
compost | The compost heap | Kitchen scraps, leaves and cardboard in layers; turn it twice a year. Lime is not needed.
lawn | Lawn care | Mow high in dry summers. Scarify in April and sow bare patches anew.
slugs | Against slugs | Beer traps draw them from the neighbours, too. Nematodes work when the soil is warm and moist.
bread | Sourdough bread | Feed the starter the evening before. The dough rests for four hours and is folded every thirty minutes, then baked in a closed pot.
soup | Pumpkin soup | Roast the pumpkin with garlic, add stock and coconut milk, blend until smooth. Ginger makes it lively.
pasta | Fresh pasta | One egg for a hundred grams of flour. Knead until it is silky and let the dough rest under a bowl.
jam | Strawberry jam | Boil fruit and sugar for four minutes and fill hot glasses. It keeps for a year in the cellar.
coffee | Descaling the machine | The coffee machine is descaled every two months with citric acid, never with vinegar.
tax | Tax declaration | The declaration is due at the end of July. Receipts for work at home, travel to clients and donations are in the blue folder.
pension | State pension | The yearly letter says what the pension will be at 67. Years of study count for nothing any more.
mortgage | Mortgage | The fixed rate ends in 2031. We may pay back five percent of the loan each year without a fee.
budget | Household budget | Rent, food and energy take two thirds of the income. The rest is saved or spent on holidays.
bank | Changing banks | The new bank moves all standing orders. Close the old account only after three months.
backup | Backups | Every night restic writes encrypted snapshots to the disk in the cellar and to a rented server. Restoring is tried every spring.
router | The router | The wireless password is on the back. After a power cut the box needs five minutes before the network is there.
postgres | PostgreSQL upgrade | Dump the database, install the new major version, restore the dump, then run analyze. Replicas are built anew.
deploy | How we deploy | Merging into main builds an image. It goes to staging at once and to production after a person approves.
incident | Outage of 3 March | The disk of the database was full because old write-ahead logs were kept by a forgotten replication slot. Alerts now fire at eighty percent.
ssh | SSH keys | A key for each machine, with a passphrase. Lost ones are taken out of authorized_keys the same day.
vaccine | Vaccinations | Tetanus was given in 2021 and lasts ten years. The dog needs its rabies shot each spring.
back-pain | Exercises for the back | Ten minutes each morning: bridge, plank, stretching the hip. The physician advises against sitting for hours.
dentist | Dentist | The crown on the upper left was paid by the insurance. Next check in November.
running | Plan for the half marathon | Three runs a week, one of them long. The week before the race is easy.
sleep | Sleeping better | No screen after ten, a cool and dark room, the same hour every day. Coffee only before noon.
lisbon | Four days in Lisbon | We stayed in Alfama, took tram 28 and ate custard tarts in Belem. The flight back was late.
hiking | Hut to hut in the Alps | Seven stages with a thousand metres of climbing each. Huts have to be reserved in winter.
packing | Packing list | Passport, charger, medicine, rain jacket, two books. Tickets are on the phone.
train | Night train to Vienna | The sleeper leaves at nine and arrives at seven, with breakfast. Book beds early, they sell out.
camping | Camping by the lake | The place by the water has no power. Mosquitoes from June on, so take a net for the tent.
`
  .trim()
  .split("\n")
  .map((line) => {
    const [key, title, text] = line.split(" | ");
    return { key: key!, title: title!, text: text! };
  });

type Judged = readonly [query: string, grades: Readonly<Record<string, number>>];

/** Words of the query stand in what answers it. */
export const BY_WORDS: readonly Judged[] = [
  ["when is the tax declaration due", { tax: 2 }],
  ["winter tyres", { tyres: 2 }],
  ["car insurance hail damage", { "car-insurance": 2 }],
  ["rest the dough", { bread: 2, pasta: 2 }],
  ["planting tomatoes in May", { tomatoes: 2 }],
  ["pruned roses", { roses: 2 }],
  ["upgrading postgres database", { postgres: 2, incident: 1 }],
  ["database disk full", { incident: 2 }],
  ["restore backups", { backup: 2, postgres: 1 }],
  ["wireless password", { router: 2 }],
  ["coffee machine", { coffee: 2, sleep: 1 }],
  ["reserving huts", { hiking: 2 }],
  ["fixed rate of the loan", { mortgage: 2 }],
  ["passport photo for the licence", { licence: 2, packing: 1 }],
  ["rabies dog", { vaccine: 2 }],
  ['"standing orders"', { bank: 2 }],
  ["power cut", { router: 2 }],
  ["vacc*", { vaccine: 2 }],
];

/** What answers it says the same in other words, or mostly. */
export const BY_MEANING: readonly Judged[] = [
  ["automobile", { "car-insurance": 2, tyres: 2, "repair-bill": 2, electric: 2, licence: 1 }],
  ["recipes for cooking", { bread: 2, soup: 2, pasta: 2, jam: 2 }],
  ["gardening", { tomatoes: 2, roses: 2, lawn: 2, compost: 2, slugs: 2 }],
  ["money and finance", { tax: 2, pension: 2, mortgage: 2, budget: 2, bank: 2 }],
  ["holiday trips", { lisbon: 2, hiking: 2, train: 2, camping: 2, packing: 2, budget: 1 }],
  ["health and doctors", { vaccine: 2, "back-pain": 2, dentist: 2, running: 1, sleep: 1 }],
];

/** Which words are about the same, for an embedder that knows nothing else. */
export const SUBJECTS: readonly string[] = [
  "automobile car tyres garage vehicle brake exhaust wall driving",
  "recipes cooking dough roast boil flour stock jam bread pumpkin",
  "gardening sow roses lawn compost slugs seeds mow prune pruned planting soil",
  "money finance tax pension mortgage loan bank income rent receipts",
  "holiday trips trip flight tram huts train sleeper camping tent passport tickets",
  "health doctors doctor physician vaccinations tetanus dentist crown marathon sleeping",
  "computer database postgres backups network router ssh replicas deploy staging",
];
