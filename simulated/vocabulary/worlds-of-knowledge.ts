import type { World } from './world';

/** Worlds of finding out: the sciences, the past, words, and the land. */
export const WORLDS_OF_KNOWLEDGE: readonly World[] = [
  {
    occupations: [
      'astronomer', 'biologist', 'chemist', 'geologist', 'mathematician', 'meteorologist', 'neuroscientist', 'physicist',
      'researcher', 'scientist', 'statistician', 'inventor',
    ],
    topics: [
      'the methods section', 'a reply to the second reviewer', 'the calibration data', 'the poster for the spring meeting',
      'the outliers of run twelve', 'a lay summary', 'the instrument time request', 'a talk for school classes',
      'the sampling plan', 'the budget of the project', 'a figure with too many lines', 'the lab rota',
      'a short proof', 'the error bars',
    ],
    troubles: [
      'reviewers who want one more experiment', 'instruments that drift at night', 'funding that ends in spring',
      'results that only appear once', 'co-authors in nine time zones', 'a freezer with a mind of its own',
    ],
    factors: {
      'Person/Group': [
        'Professor {full}', 'the {surname} Group', 'the Second Reviewer', 'the Citizen Observers', 'Dr. {full}',
        'the {place} Doctoral Students', 'the Ethics Panel', 'Lab Manager {surname}',
      ],
      'Organization/Institution': [
        'the {place} Observatory', 'the {surname} Institute', 'the National Science Fund', 'the {place} Weather Service',
        'the Journal of Slow Measurements', '{place} Museum of Nature',
      ],
      'Object/Artifact': [
        'the Mass Spectrometer', 'the {surname} Core Samples', 'the Brass Sextant', 'the Lab Notebook No. 7',
        'the Cold Storage Box', 'the Chalkboard of Open Problems',
      ],
      'Content/Media': [
        'the Preprint Server', 'the {place} Data Archive', 'the {surname} Lecture Notes', 'the Methods Supplement',
        'the Institute Podcast', 'the Grant Proposal Template',
      ],
      'Tool/Technology': [
        'the {surname} Simulation Code', 'StatBench', 'the Gene Sequencer', 'the Weather Balloon Uplink',
        'the Reference Manager', 'the Old Fortran Model',
      ],
      'Location/Place': [
        'the {place} Field Station', 'the Clean Room', 'the Basement Laser Lab', '{place} Ridge', 'the Seminar Room',
        'the {place} Research Vessel',
      ],
      'Process/Activity': [
        'the Peer Review', 'the Instrument Calibration', 'the Field Sampling', 'the Group Meeting', 'the Data Cleaning',
        'the Thesis Supervision',
      ],
      'Event/Time': [
        'the {place} Conference', 'the Grant Deadline', 'the Solar Eclipse', 'the Open Lab Night',
        'the {surname} Anniversary Symposium', 'the Field Season',
      ],
    },
  },
  {
    occupations: [
      'anthropologist', 'archaeologist', 'archivist', 'curator', 'historian', 'librarian', 'philosopher', 'sociologist',
      'genealogist', 'theologian',
    ],
    topics: [
      'the labels for the new room', 'a finding aid', 'the interview questions', 'an essay on memory',
      'the loan request', 'the visitor numbers', 'the provenance of a box of letters', 'a chapter outline',
      'the reading evening', 'a reply to a sceptical donor', 'the coding of forty interviews', 'the dig diary',
      'a guided tour', 'the digitisation order',
    ],
    troubles: [
      'boxes without labels', 'donors with opinions', 'footnotes that lead nowhere', 'committees that meet twice a year',
      'mould in the west wing', 'colleagues who quote from memory',
    ],
    factors: {
      'Person/Group': [
        'Professor {full}', 'Curator {surname}', 'the {place} Elders', 'the Reading Room Regulars', 'the {surname} Descendants',
        'the Volunteer Transcribers', 'Mrs. {full}', 'the Doctoral Colloquium',
      ],
      'Organization/Institution': [
        'the {place} City Museum', 'the {surname} Archive', 'the Historical Commission', 'the {place} Public Library',
        'the Society for Oral History', '{place} University Press',
      ],
      'Object/Artifact': [
        'the {surname} Letters', 'the Broken Amphora', 'the Parish Register', 'the Tin Trunk', 'the {place} Map of 1774',
        'the Card Catalogue',
      ],
      'Content/Media': [
        'the Exhibition Catalogue', 'the {place} Oral History Tapes', 'the {surname} Monograph', 'the Visitors\' Audio Guide',
        'the Museum Newsletter', 'the Footnote Database',
      ],
      'Tool/Technology': [
        'CatalogTree', 'the Book Scanner', 'the {surname} Transcription Tool', 'the Ground Radar', 'ArchiveGrid',
        'the Handwriting Recogniser',
      ],
      'Location/Place': [
        'the {place} Dig Site', 'the Map Room', 'the North Stacks', '{place} Chapel', 'the Conservation Lab',
        'the Café Opposite the Archive',
      ],
      'Process/Activity': [
        'the Oral History Interview', 'the Cataloguing Morning', 'the Exhibit Installation', 'the Source Criticism Seminar',
        'the Deaccession Review', 'the Guided Tour',
      ],
      'Event/Time': [
        'the Night of the Museums', 'the {place} Jubilee', 'the {surname} Exhibition Opening', 'the Dig Season',
        'the Book Sale Week', 'the Colloquium Thursday',
      ],
    },
  },
  {
    occupations: [
      'blogger', 'editor', 'interpreter', 'journalist', 'linguist', 'novelist', 'poet', 'reporter', 'translator', 'writer',
      'publisher', 'screenwriter',
    ],
    topics: [
      'the third chapter', 'a headline for Sunday', 'the interview with a mayor', 'the glossary', 'a cover letter',
      'the corrections column', 'a review of a dull book', 'the word counts by section', 'the festival programme',
      'an awkward paragraph', 'the pitch for a series', 'a translation of two verses', 'the editorial calendar',
    ],
    troubles: [
      'editors who want it shorter by noon', 'sources who go quiet', 'words that have no twin in another language',
      'a second chapter that will not end', 'fees that come after the summer', 'readers who write in capital letters',
    ],
    factors: {
      'Person/Group': [
        'Editor {full}', 'the {place} Writing Circle', 'the Night Desk', 'Agent {surname}', 'the Sensitivity Readers',
        'the {surname} Estate', 'the Letter Writers of {place}', 'Proofreader {full}',
      ],
      'Organization/Institution': [
        'the {place} Courier', '{surname} Publishing House', 'the Translators\' Union', 'the {place} Literary Festival',
        'the Press Council', 'Radio {place}',
      ],
      'Object/Artifact': [
        'the Yellow Notebook', 'the {surname} Dictionary', 'the Portable Typewriter', 'the Box of Rejections',
        'the Interview Recorder', 'the Annotated Galley',
      ],
      'Content/Media': [
        'the Sunday Column', 'the {surname} Trilogy', 'the {place} Style Book', 'the Letters Page', 'the Serial Novel',
        'the Translation Memory',
      ],
      'Tool/Technology': [
        'DraftHarbour', 'the {surname} Subtitle Editor', 'TermVault', 'the Transcription App', 'the Newsroom System',
        'the Corpus Search',
      ],
      'Location/Place': [
        'the {place} Newsroom', 'the Back Table at Café {surname}', 'the Interpreting Booth', '{place} Courthouse Gallery',
        'the Attic Study', 'the Residency Cottage',
      ],
      'Process/Activity': [
        'the Fact-Check', 'the Final Proofs', 'the Interview Preparation', 'the Simultaneous Interpreting',
        'the Writing Workshop', 'the Headline Meeting',
      ],
      'Event/Time': [
        'the {place} Book Fair', 'the Election Night', 'the Print Deadline', 'the {surname} Prize Ceremony',
        'the Poetry Slam', 'the Silly Season',
      ],
    },
  },
  {
    occupations: [
      'agronomist', 'beekeeper', 'botanist', 'conservationist', 'ecologist', 'farmer', 'florist', 'gardener', 'ranger',
      'forester', 'fisherman', 'winemaker', 'shepherd', 'breeder',
    ],
    topics: [
      'the planting calendar', 'the soil results', 'a sign for the trail', 'the honey yields of three years',
      'a letter to the water board', 'the volunteer day', 'the order of seeds', 'a leaflet on invasive plants',
      'the rainfall record', 'the wedding flowers', 'an irrigation plan', 'the bird count', 'the grazing rotation',
    ],
    troubles: [
      'rain that comes in the wrong week', 'neighbours with new fences', 'subsidy forms', 'slugs with a sense of timing',
      'visitors who leave the path', 'prices set four valleys away',
    ],
    factors: {
      'Person/Group': [
        'Old {full}', 'the {surname} Farm', 'the {place} Allotment Holders', 'Warden {surname}', 'the Seasonal Pickers',
        'the School Gardeners', 'the {place} Water Users', 'Dr. {full}',
      ],
      'Organization/Institution': [
        'the {place} Growers\' Cooperative', 'the Nature Conservancy', '{place} National Park', 'the {surname} Seed Bank',
        'the Organic Certifier', 'the {place} Farmers\' Market',
      ],
      'Object/Artifact': [
        'the {surname} Orchard Ladder', 'the Rain Gauge', 'the Third Beehive', 'the Seed Cabinet', 'the Red Tractor',
        'the Herbarium Sheet 88',
      ],
      'Content/Media': [
        'the {place} Weather Diary', 'the Growers\' Almanac', 'the Trail Camera Footage', 'the {surname} Plant Lists',
        'the Market Newsletter', 'the Garden Radio Hour',
      ],
      'Tool/Technology': [
        'FieldSense Probes', 'the {surname} Drip System', 'the Drone Survey', 'HiveMonitor', 'the Soil Test Kit',
        'the Milking Robot',
      ],
      'Location/Place': [
        '{place} Marsh', 'the Walled Garden', 'the North Pasture', 'the {place} Greenhouse', 'the Ranger Hut',
        'the Slope Above {place}',
      ],
      'Process/Activity': [
        'the Spring Pruning', 'the Seed Swap', 'the Controlled Burn', 'the Honey Extraction', 'the Bird Survey',
        'the Compost Turning',
      ],
      'Event/Time': [
        'the First Harvest Week', 'the {place} Flower Show', 'the Lambing Season', 'the {surname} Wedding',
        'the Drought Month', 'the Migration Days',
      ],
    },
  },
];
