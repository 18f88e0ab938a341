"""What customers can buy."""

ONE_TIME_FEE = 15  # dollars, on top of the market price of fuel
