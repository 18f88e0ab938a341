"""The makes and models that people in the US drive, with the gallons that their tanks hold.

The specification's five makes keep its figures. The others are typical of a model's later years:
years and trims differ by some gallons. What runs on electricity alone is left out.
"""

from collections.abc import Mapping

# Gallons that a model's tank holds, by make and model: the preview's catalogue.
CATALOGUE: Mapping[str, Mapping[str, float]] = {
    "Toyota": {"Camry": 16, "Corolla": 13.2, "RAV4": 14.5, "Highlander": 17.9, "Tacoma": 21.1},
    "Honda": {"Civic": 12.4, "Accord": 14.8, "CR-V": 14, "Pilot": 19.5, "Odyssey": 19.5},
    "Ford": {"F-150": 26, "Explorer": 19.2, "Escape": 15.7, "Mustang": 16, "Edge": 18.5},
    "Chevrolet": {"Silverado": 24, "Equinox": 15.6, "Malibu": 15.8, "Tahoe": 24, "Traverse": 19.4},
    "BMW": {"3 Series": 15.6, "5 Series": 18, "X3": 17.2, "X5": 21.9, "X7": 21.9},
}
_MORE = """
    Acura: ILX 13.2, Integra 12.4, MDX 18.5, RDX 17.1, TLX 15.9, TSX 18.5
    Alfa Romeo: Giulia 15.3, Stelvio 16.9
    Audi: A3 14.5, A4 15.3, A5 15.3, A6 19.3, A8 21.7, Q3 16.4, Q5 18.5, Q7 22.5, Q8 22.5
    Bentley: Bentayga 22.5, Continental GT 23.8
    BMW: 2 Series 13.7, 4 Series 15.6, 7 Series 19.5, X1 14.3, X4 17.2, X6 21.9, Z4 13.7
    Buick: Enclave 21.7, Encore 14, Encore GX 13.2, Envision 17.3, Envista 13.2, LaCrosse 15.8,
      Regal 16.3
    Cadillac: ATS 16, CT4 17.4, CT5 17.4, CTS 19, Escalade 24, SRX 21, XT4 16.1, XT5 19, XT6 19
    Chevrolet: Blazer 19.4, Camaro 19, Colorado 21.1, Corvette 18.5, Cruze 13.7, Express 31,
      Impala 18.5, Silverado 2500HD 36, Sonic 12.2, Spark 9, Suburban 28, Trailblazer 13.2,
      Trax 13.2
    Chrysler: 200 15.8, 300 18.5, Pacifica 19, Town & Country 20, Voyager 19
    Dodge: Challenger 18.5, Charger 18.5, Dart 14.2, Durango 24.6, Grand Caravan 20, Hornet 13.5,
      Journey 20.5
    Fiat: 500 10.5, 500X 12.7
    Ford: Bronco 20.8, Bronco Sport 16, EcoSport 13.6, Expedition 23.3, F-250 34, F-350 34,
      Fiesta 12.4, Flex 18.6, Focus 12.4, Fusion 16.5, Maverick 16.5, Ranger 18.8, Taurus 19,
      Transit 25, Transit Connect 15.8
    Genesis: G70 15.9, G80 19.3, G90 21.9, GV70 17.4, GV80 21.1
    GMC: Acadia 22, Canyon 21, Savana 31, Sierra 24, Sierra 2500HD 36, Terrain 15.6, Yukon 24,
      Yukon XL 28
    Honda: Fit 10.6, HR-V 14, Insight 10.6, Passport 19.5, Ridgeline 19.5
    Hummer: H2 32, H3 23
    Hyundai: Accent 11.9, Elantra 14, Ioniq 11.9, Kona 13.2, Palisade 18.8, Santa Cruz 17.7,
      Santa Fe 18.8, Sonata 15.9, Tucson 16.4, Veloster 13.2, Venue 11.9
    Infiniti: Q50 20, Q60 20, QX50 16, QX55 16, QX60 19.5, QX80 26
    Jaguar: E-Pace 18.1, F-Pace 21.7, F-Type 18.5, XE 16.6, XF 19.5
    Jeep: Cherokee 15.8, Compass 13.5, Gladiator 22, Grand Cherokee 24.6, Grand Wagoneer 26.5,
      Liberty 19.5, Patriot 13.6, Renegade 12.7, Wagoneer 26.5, Wrangler 21.5
    Kia: Carnival 19, Forte 14, K5 15.8, Niro 11.9, Optima 18.5, Rio 11.9, Sedona 21.1, Seltos 13.2,
      Sorento 18.8, Soul 14.2, Sportage 16.4, Stinger 15.9, Telluride 18.8
    Land Rover: Defender 23.8, Discovery 23.5, Discovery Sport 17.7, Range Rover 27.7,
      Range Rover Evoque 17.7, Range Rover Sport 27.7, Range Rover Velar 21.7
    Lexus: CT 11.9, ES 17.2, GS 17.4, GX 23, IS 17.4, LS 21.7, LX 24.6, NX 15.9, RC 17.4, RX 19.2,
      TX 17.9, UX 12.4
    Lincoln: Aviator 20.2, Continental 18, Corsair 16.2, MKC 15.7, MKX 19, MKZ 16.5, Nautilus 18.4,
      Navigator 23.3, Town Car 19
    Maserati: Ghibli 21.1, Grecale 16.9, Levante 21.1, Quattroporte 21.1
    Mazda: CX-3 12.7, CX-30 13.5, CX-5 15.3, CX-50 15.9, CX-9 19.5, CX-90 19.6, Mazda3 13.2,
      Mazda6 16.4, MX-5 Miata 11.9
    Mercedes-Benz: A-Class 13.5, C-Class 17.4, CLA 13.5, E-Class 17.4, G-Class 26.4, GLA 13.5,
      GLB 15.9, GLC 17.4, GLE 22.5, GLS 23.8, S-Class 20.1, Sprinter 24.5
    Mercury: Grand Marquis 19, Mariner 16.5, Milan 17.5
    Mini: Clubman 13.2, Convertible 11.6, Cooper 11.6, Countryman 16.1
    Mitsubishi: Eclipse Cross 15.8, Lancer 15.3, Mirage 9.2, Outlander 14.5, Outlander Sport 15.8
    Nissan: Altima 16.2, Armada 26, Frontier 21, Juke 13.2, Kicks 10.8, Maxima 18, Murano 19,
      Pathfinder 19.5, Quest 20, Rogue 14.5, Rogue Sport 14.5, Sentra 13.2, Titan 26, Versa 10.8,
      Xterra 21.1
    Pontiac: G6 16, G8 19, Vibe 13.2
    Porsche: 718 14.3, 911 16.9, Cayenne 23.7, Macan 19.8, Panamera 23.7
    Ram: 1500 26, 2500 32, 3500 32, ProMaster 24, ProMaster City 16.1
    Saab: 9-3 16.4, 9-5 18.5
    Saturn: Aura 16, Outlook 22, Vue 17
    Scion: FR-S 13.2, tC 14.5, xB 14, xD 11.1
    Smart: Fortwo 8.7
    Subaru: Ascent 19.3, BRZ 13.2, Crosstrek 16.6, Forester 16.6, Impreza 16.6, Legacy 18.5,
      Outback 18.5, WRX 16.6
    Suzuki: Grand Vitara 17.4, SX4 13.2
    Toyota: 4Runner 23, Avalon 17, C-HR 13.2, Corolla Cross 12.4, FJ Cruiser 19, GR86 13.2,
      Grand Highlander 17.9, Land Cruiser 24.6, Prius 11.3, Sequoia 26.4, Sienna 20, Supra 13.7,
      Tundra 32.2, Venza 14.5, Yaris 11.1
    Volkswagen: Arteon 17.4, Atlas 18.6, Beetle 14.5, Golf 13.2, GTI 13.2, Jetta 13.2, Passat 18.5,
      Taos 13.2, Tiguan 15.9, Touareg 26.4
    Volvo: S60 15.9, S90 15.9, V60 15.9, V90 15.9, XC40 14.2, XC60 18.8, XC90 18.8
"""


def _parse(text: str) -> dict[str, dict[str, float]]:
    """Return what is written as 'Make: Model 12.3, Model 14', a make a line or more."""
    found: dict[str, dict[str, float]] = {}
    make = ""
    for line in text.strip().splitlines():
        named, colon, listed = line.partition(":")
        make = named.strip() if colon else make
        for entry in filter(None, (listed if colon else line).strip().split(",")):
            model, _, gallons = entry.strip().rpartition(" ")
            found.setdefault(make, {})[model] = float(gallons)
    return found


def _merged() -> dict[str, dict[str, float]]:
    more = _parse(_MORE)
    makes = sorted({*CATALOGUE, *more}, key=str.casefold)
    return {make: {**CATALOGUE.get(make, {}), **more.get(make, {})} for make in makes}


# Those that customers and guests choose from; the popular models of the five makes come first.
OWN_CATALOGUE: Mapping[str, Mapping[str, float]] = _merged()
